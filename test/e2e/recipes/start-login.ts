import * as assert from 'uvu/assert';
import { freePort } from '../../harness/free-port.js';
import { ended, start } from '../../harness/fwk.js';
import { postgresServer } from '../../harness/postgres.js';
import type { Project } from '../../harness/project.js';
import { production } from '../../harness/settings.js';

/** Migrates a database and starts the app of docs/recipes/login.md. `more`: further environment variables. */
export async function startLogin(made: Project, more: readonly string[] = []) {
  const [database, port] = [await postgresServer(), await freePort()];
  const origin = `http://localhost:${port}`;
  const variables = [
    `DATABASE_URL=${database.url()}`,
    `BETTER_AUTH_URL=${origin}`,
    'BETTER_AUTH_SECRET=qmG0uT4sXw8Zb2Yh6Ke1Rv9Lp3Nc7Jd5',
    'NODE_ENV=production',
    ...more,
  ];
  // The second run leaves existing data unchanged.
  for (const _ of [1, 2]) {
    const migrated = await ended(
      start('/usr/bin/env', [...variables, process.execPath, 'dist/migrate.js'], made.root),
      'migrate',
    );
    assert.is(migrated.status, 0, migrated.stderr);
  }
  const app = await production(made, 'dist/main.js', process.execPath, [
    ...variables,
    `PORT=${port}`,
    'HOST=127.0.0.1',
  ]);
  const stop = async (): Promise<void> => {
    app.child.kill('SIGTERM');
    const { status, stderr } = await app.end;
    await database.crash();
    assert.is(status, 0, stderr);
  };
  return { app, origin, stop };
}
