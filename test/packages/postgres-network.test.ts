import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PostgresServer, postgresServer, withPostgres } from '../harness/postgres.js';
import { type Team, team, whoami, workersMain } from '../harness/workers.js';
import { fourHups } from './hups.js';
import { config, postgresProject } from './postgres-project.js';

const test = suite<{ server: PostgresServer; a: Team; b: Team }>('workers over PostgreSQL');

test.before(async (context) => {
  context.server = await postgresServer();
  const made = postgresProject({
    ...whoami,
    'main.ts': workersMain(),
    'fwk.config.ts': config(
      "client: () => new pg.Client(process.env.DATABASE_URL), name: 'shop'",
      '{ timeout: 2_000, heartbeat: 300 }',
    ),
  });
  const env = [`FWK_SECRET=${'s'.repeat(40)}`, `DATABASE_URL=${context.server.url()}`];
  context.a = await team(made, 'main.js', env);
  context.b = await team(made, 'main.js', env);
});
test.after(async ({ server, a, b }) => {
  const ends = await Promise.all([a, b].flatMap((one: Team | undefined) => (one ? [one.stop()] : [])));
  await server?.crash();
  assert.equal(
    ends.map(({ status }) => status),
    ends.map(() => 0),
    a?.output.all + b?.output.all,
  );
});

test('four replacements of workers under load lose and repeat no message', ({ a, b }) => fourHups(a, b));

const tests = withPostgres(test);
tests.run();
