import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { postgresServer, withPostgres } from '../../harness/postgres.js';
import { recipe } from '../../harness/recipe.js';
import { production } from '../../harness/settings.js';

// docs/recipes/postgresql.md with a real PostgreSQL: migrations, a production server, and the recipe's own test.

const test = suite('the recipe of PostgreSQL');

test('migrations, a transaction per request, a database outage, the test of the page', async () => {
  const [made, database] = [await recipe('postgresql'), await postgresServer()];
  const variables = [`DATABASE_URL=${database.url()}`];
  const node = (...args: string[]) =>
    ended(start('/usr/bin/env', [...variables, process.execPath, ...args], made.root), args.join(' '));
  let app: Awaited<ReturnType<typeof production>> | undefined;
  try {
    // At the same time: one migrates, the other waits and finds no migration to run.
    const migrated = await Promise.all([node('dist/migrate.js'), node('dist/migrate.js')]);
    assert.equal(
      migrated.map(({ status, stdout }) => `${status} ${stdout.trim()}`).sort(),
      ['0 migrated: 2026-11-20-orders', '0 migrated: nothing to do'],
      migrated.map(({ stderr }) => stderr).join(),
    );

    app = await production(made, 'dist/main.js', process.execPath, variables);
    const { url } = app;
    const order = (book: string, copies: unknown) =>
      fetch(`${url}/api/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ book, copies }),
      });
    assert.is((await order('Emma', 1)).status, 404);
    assert.is((await order('Emma', 'many')).status, 422);
    assert.equal(await (await fetch(`${url}/api/orders`)).json(), []);

    /** The status of /readyz. Its result is shared for a second, so it is read until it is the expected one, for five seconds. */
    const readiness = async (expected: number): Promise<number> => {
      const end = performance.now() + 5_000;
      let status: number;
      do ({ status } = await fetch(`${url}/readyz`));
      while (status !== expected && performance.now() < end);
      return status;
    };
    assert.is(await readiness(200), 200);
    const { answer } = await heldUp(database.url(), () => order('Emma', 1));
    await database.crash();
    assert.is((await answer).status, 500);
    assert.is(await readiness(503), 503);
    assert.is((await fetch(`${url}/api/orders`)).status, 500);
    await database.restart();
    assert.is(await readiness(200), 200);
    assert.is((await fetch(`${url}/api/orders`)).status, 200);

    // Two test files in parallel, each with a copy of the template.
    const tests = ['orders', 'copy'].map((name) => `dist/test/${name}.test.js`);
    copyFileSync(path.join(made.root, tests[0] ?? ''), path.join(made.root, tests[1] ?? ''));
    const own = await node('--test', ...tests);
    assert.is(own.status, 0, own.stdout);
    assert.match(own.stdout, /^(#|ℹ) pass 2$/m);

    app.child.kill('SIGTERM');
    const { status, stdout, stderr } = await app.end;
    assert.is(status, 0, stdout + stderr);
  } finally {
    app?.child.kill('SIGKILL');
    await database.crash();
  }
});

/** The response to `ask` while its transaction waits for a locked table, until the database stops. */
async function heldUp<Answer>(
  connectionString: string,
  ask: () => Promise<Answer>,
): Promise<{ answer: Promise<Answer> }> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  await client.query('begin; lock table stock');
  const answer = ask();
  const waits = 'select from pg_locks where not granted';
  while ((await client.query(waits)).rowCount === 0) await setImmediate();
  return { answer };
}

const tests = withPostgres(test);
tests.run();
