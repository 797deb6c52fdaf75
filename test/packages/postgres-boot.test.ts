import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, ended, fwk, start } from '../harness/fwk.js';
import { linkLibraries } from '../harness/libraries.js';
import { type PostgresServer, postgresServer, withPostgres } from '../harness/postgres.js';
import { project } from '../harness/project.js';
import { sampled, unsampled } from '../harness/sample.js';
import { createApp } from '../harness/settings.js';
import { route } from '../harness/source.js';
import { tsc } from '../harness/tsc.js';
import { config, postgresProject, sharedOf } from './postgres-project.js';

const test = suite('boot with PostgreSQL');
process.env.FWK_SECRET = 's'.repeat(40);
const NOWHERE = "client: () => new pg.Client('postgres://postgres@127.0.0.1:1/postgres')";

let server: PostgresServer;

test.before(async () => {
  server = await postgresServer();
});

test.after(async () => {
  await server?.crash();
});

const made = (connection: string, options?: string, more?: string) =>
  postgresProject({ 'fwk.config.ts': config(connection, options, more) });

/** The message that ends a project's boot. */
async function refused(
  connection: string,
  options?: string,
  more?: string,
): Promise<Error & { problems?: unknown }> {
  const app = await createApp(made(connection, options, more), '.').catch((cause) => cause);
  if (app instanceof Error) return app;
  await app.close();
  throw new Error('It boots.');
}

const mistakes: Readonly<Record<string, readonly [connection: string, expected: RegExp]>> = {
  'a Pool': [
    'client: new pg.Pool()',
    /is a Pool, but LISTEN needs a dedicated connection\. Write .*new pg\.Client\(url\)/,
  ],
  'a function that creates a client': [
    "client: () => new pg.Pool(), name: 'shop'",
    /did not return a new Client of pg/,
  ],
  'a client': ['client: new pg.Client()', /must be a function that creates a Client of pg/],
  nothing: ['', /must be a function that creates a Client of pg/],
  'something else': ["client: () => ({ query() {} }), name: 'shop'", /did not return a new Client of pg/],
  'a promise': [
    "client: async () => new pg.Client('x'), name: 'shop'",
    /did not return a new Client of pg.*postgres\(\) connects the client/,
  ],
  'a single client': [
    "client: ((client) => () => client)(new pg.Client('postgres://x')), name: 'shop'",
    /did not return a new Client of pg/,
  ],
  'a name of other characters': [`${NOWHERE}, name: 'a b'`, /postgres\(\{ name \}\)/],
  'no name at all': [NOWHERE, /postgres\(\) needs a name for the app/],
  'nobody there': [
    `${NOWHERE}, name: 'shop'`,
    /^postgres cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. Start PostgreSQL, or correct the address in postgres\(\{ client \}\)\.$/,
  ],
};

for (const [what, [connection, expected]] of sampled(Object.entries(mistakes), 3))
  test(`${what} is reported`, async () => {
    const { name, message } = await refused(connection);
    assert.match(message, expected);
    assert.is(message.split('\n').length, 1);
    assert.ok(['BootError', 'ConfigError'].includes(name), name);
  });

unsampled(test)('a connected client, a wrong database and two engines are reported, too', async () => {
  const url = server.url();
  const { message } = await refused(
    `client: () => { const client = new pg.Client('${url}'); client.on('error', () => {}); client.connect().catch(() => {}); return client; }, name: 'shop'`,
  );
  assert.match(message, 'returned a client that is already connected');
  const nowhere = await refused(`client: () => new pg.Client('${server.url('nowhere')}'), name: 'shop'`);
  assert.match(nowhere.message, 'postgres cannot be reached: database "nowhere" does not exist');
  const other = `{ name: 'other', apply(hooks) {
    hooks.serve.tapPromise({ name: 'other', stage: -200 }, async ({ runtime }) => spanMachines(runtime, { name: 'other', listen() {} }));
  } }`;
  const imports = "import { spanMachines } from 'fwkit/peers';\n";
  const plugins = config("client: () => new pg.Client('postgres://127.0.0.1:1'), name: 'shop'").replace(
    'plugins: [',
    `plugins: [${other}, `,
  );
  const both = postgresProject({ 'fwk.config.ts': imports + plugins });
  const failure = await createApp(both, '.').catch((cause: Error) => cause);
  assert.match(String(failure), 'other and postgres both connect machines. Remove one of them');
});

test('migrate: false prints the statements, and continues if they have been run', async () => {
  const owner = new pg.Client(server.url());
  await owner.connect();
  await owner.query('DROP SCHEMA IF EXISTS fwk CASCADE; CREATE ROLE guest LOGIN');
  const guest = server.url().replace('postgres@', 'guest@');
  const connection = `client: () => new pg.Client('${guest}'), name: 'shop'`;
  assert.match((await refused(connection)).message, 'permission denied for database');
  const { problems } = await refused(`${connection}, migrate: false`);
  const [{ message, excerpt } = { message: '', excerpt: '' }] = problems as {
    message: string;
    excerpt: string;
  }[];
  assert.match(message, /database lacks the tables of fwk, .* Run these statements, then restart the app:$/);
  await owner.query(excerpt);
  // As documented.
  await owner.query(`GRANT USAGE ON SCHEMA fwk TO guest; GRANT USAGE ON SEQUENCE fwk.token TO guest;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA fwk TO guest`);
  await owner.end();
  for (const more of ['', ', migrate: false']) {
    const app = await createApp(made(connection + more), '.');
    const shared = sharedOf(app);
    assert.is(await shared.lock('a', async ({ token }) => typeof token), 'number');
    assert.is(await shared.memory('a').add('a', 1, 60), more === '' ? 1 : 2);
    await app.close();
  }
});

unsampled(test)('exits with 1 within bootLimit and one message if no server answers', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const one = made(
    `client: () => new pg.Client('postgres://x@127.0.0.1:${port}/x'), name: 'shop'`,
    '{ bootLimit: 300 }',
  );
  const begun = performance.now();
  const { status, stderr } = await ended(start('node', ['main.js'], one.root), 'node main.js');
  assert.is(status, 1);
  assert.ok(performance.now() - begun < 3_000);
  assert.match(stderr, 'postgres cannot be reached: no answer within 300 ms. Start PostgreSQL, or correct');
  assert.not.match(stderr, '    at ');
  silent.close();
});

test('fwk routes does not connect, invalid options are rejected, and a disabled plugin leaves one machine', async () => {
  const one = made(`${NOWHERE}, name: 'shop'`);
  const { status, stderr } = await fwk(one, 'routes');
  assert.is(status, 0, stderr);
  const wrong = await refused(`${NOWHERE}, name: 'shop'`, "{ lease: 1, timeOut: 5, backlog: '1 MB' }");
  for (const expected of [
    '"postgres.lease" must be a whole number of milliseconds, from 500',
    'unknown key "postgres.timeOut". Did you mean "timeout"?',
    '"postgres.backlog" must be a whole number of bytes',
  ])
    assert.match(wrong.message, expected);
  const app = await createApp(made(NOWHERE, '{}', "disable: ['postgres']"), '.');
  assert.is(sharedOf(app).span, 'process');
  await app.close();
});

test('fwk dev keeps its connections across reloads, and an edited option applies', async () => {
  const connection = `client: () => new pg.Client('${server.url()}'), name: 'dev'`;
  const one = postgresProject({
    'fwk.config.ts': config(connection),
    'api/put.post.ts': route('post', "(_req, _res, ctx) => ctx.shared.memory('dev').put('a', {}, 60)"),
  });
  const running = await dev(one);
  const put = async () => (await running.fetch('/api/put', { method: 'POST' })).status;
  const connections = async () =>
    (
      await database.query(
        `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid`,
      )
    ).rows;
  const database = new pg.Client(server.url());
  await database.connect();
  assert.is(await put(), 200);
  const before = await connections();
  assert.is(before.length, 2);
  const from = running.output.mark();
  one.write('fwk.config.ts', config(connection, '{ timeout: 150 }'));
  await running.waitFor(/reloaded/, from);
  assert.is(await put(), 200);
  assert.equal(await connections(), before);
  // A lock on the table blocks every other connection.
  await database.query('BEGIN; LOCK TABLE fwk.memory');
  const begun = performance.now();
  assert.is(await put(), 503);
  assert.ok(performance.now() - begun < 900, 'before the timeout that there was');
  await database.query('COMMIT');
  await running.waitFor(/postgres is available again/, from);
  assert.is(await put(), 200);
  await running.stop();
  await database.end();
});

test('follows the laws of plugins, and a test with its own machine does not connect', async () => {
  const one = postgresProject({
    'fwk.config.ts': config(`${NOWHERE}, name: 'shop'`),
    'laws.mjs': `import { postgres } from '@fwkit/postgres';
import { createTestApp, testMachines, testPlugin } from 'fwkit/testing';
import pg from 'pg';
const files = { 'api/x.get.js': "import { get } from 'fwkit'; export default get(() => 1);" };
await testPlugin(postgres({ client: () => new pg.Client('${server.url()}'), name: 'laws' }), { files });
const app = await createTestApp({ machine: testMachines()() });
console.log(app.ctx.shared.span, 'and all laws hold');
await app.close();`,
  });
  const { status, stdout, stderr } = await ended(start('node', ['laws.mjs'], one.root), 'laws');
  assert.is(status, 0, stderr);
  assert.match(stdout, 'machines and all laws hold');
});

unsampled(test)('its types compile with those of all packages, and a Pool does not', async () => {
  const one = project({
    'fwk.config.ts': config(
      "client: () => new pg.Client('x'), name: 'shop', migrate: false",
      '{ lease: 5_000 }',
    ),
    'lib/wrong.ts': `import { postgres } from '@fwkit/postgres';
import { defineConfig } from 'fwkit';
import pg from 'pg';
// @ts-expect-error A Pool is no client.
postgres({ client: () => new pg.Pool() });
// @ts-expect-error It is a function.
postgres({ client: new pg.Client() });
// @ts-expect-error An option that there is not.
defineConfig({ postgres: { leas: 1 } });`,
  });
  linkLibraries(one, 'pg', '@types/pg');
  assert.is((await fwk(one, 'types')).status, 0);
  assert.equal(await tsc(one, undefined, { skipLibCheck: false }), []);
});

const tests = withPostgres(test);
tests.run();
