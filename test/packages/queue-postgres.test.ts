import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { postgresServer, withPostgres } from '../harness/postgres.js';
import { add, ends, killAll, printed, serve, shop, stopped, until } from './queue-project.js';

const test = suite('@fwkit/queue with PostgreSQL');
test.after.each(killAll);

test('jobs are done, retried and deduplicated, and a database crash ends no process', async () => {
  const database = await postgresServer();
  const made = shop({
    'fwk.config.ts': `import { queues } from '@fwkit/queue';
import { createPostgresBackend } from 'bullmq';
import { defineConfig } from 'fwkit';
const connection = () => ({ connectionString: ${JSON.stringify(database.url())}, migrate: true, max: 2 });
export default defineConfig({ plugins: [queues({ connection, name: 'shop', backend: createPostgresBackend })] });
`,
  });
  const served = await serve(made, { url: '' });
  const jobs = [[{ to: 'a' }, { id: 'x:1' }] as const, [{ to: 'b' }, { id: 'x:1' }] as const];
  const answer = await add(served.url, ...jobs, [{ to: 'twice', fail: 1 }, { delay: 100 }]);
  const ids = (await answer.json()) as string[];
  assert.equal(ids.slice(0, 2), ['x:1', 'x:1']);
  const all = () => served.output.all;
  await until(() => ends(served.output).length === 2, all);
  // The two connections decide which of the jobs with the same id comes first.
  const [first = ''] = ends(served.output).sort();
  assert.match(first, /^[ab]$/);
  assert.equal(ends(served.output).sort(), [first, 'twice']);
  assert.equal(printed(served.output, 'begin'), [`${first} 1`, 'twice 1', 'twice 2']);

  await database.crash();
  await served.output.waitFor(/queues: the broker is unavailable/);
  assert.is((await add(served.url, [{ to: 'lost' }])).status, 503);
  await database.restart();
  let status = 503;
  for (const end = performance.now() + 10_000; status !== 200 && performance.now() < end; )
    ({ status } = await add(served.url, [{ to: 'anew' }]));
  assert.is(status, 200);
  await until(() => ends(served.output).includes('anew'), all);
  assert.is(await stopped(served), 0);
  await database.crash();
});

const tests = withPostgres(test);
tests.run();
