import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../harness/cookie-client.js';
import { dev, ended, fwk, start } from '../harness/fwk.js';
import { linkLibraries } from '../harness/libraries.js';
import { project } from '../harness/project.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { unsampled } from '../harness/sample.js';
import { route } from '../harness/source.js';
import { compared, tsc } from '../harness/tsc.js';
import { appOf, variables } from './redis-project.js';

const test = suite<{ redis: RedisServer }>('plugin of @fwkit/redis');
test.before(async (context) => {
  context.redis = await redisServer();
});
test.after(({ redis }) => redis.stop());

/** Boots an app for each of `TRIES` and prints the outcome. */
const boots = `import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { spanMachines } from 'fwkit/peers';
import { createTestApp, testMachines, testPlugin } from 'fwkit/testing';
import { Session } from 'node:inspector/promises';

const url = process.env.REDIS_URL;
const client = () => createClient({ url });
const at = (url) => () => createClient({ url });
const other = {
  name: 'other',
  apply(hooks) {
    hooks.serve.tapPromise({ name: 'other', stage: -100 }, async ({ runtime }) => {
      const engine = testMachines()();
      spanMachines(runtime, { name: 'other', listen() {}, memory: (name) => engine.memory(name) });
    });
  },
};
const tries = {
  works: { plugins: [redis({ client, name: 'shop' })] },
  'no function': { plugins: [redis({ client: createClient({ url }), name: 'a {b}' })] },
  'no name': { plugins: [redis({ client })] },
  'a promise': { plugins: [redis({ client: async () => client(), name: 'shop' })] },
  'a test machine': { machine: testMachines()(), plugins: [redis({ client: () => { throw new Error('called'); }, name: 'shop' })] },
  'two engines': { plugins: [redis({ client, name: 'shop' }), other] },
  'an option': { plugins: [redis({ client, name: 'shop' })], redis: { timeot: 1, lease: 1 } },
  'nobody there': { plugins: [redis({ client: at('redis://127.0.0.1:1'), name: 'shop' })], redis: { bootLimit: 1_000 } },
  'a password': { plugins: [redis({ client: at(url.replace('//', '//x:y@')), name: 'shop' })], redis: { bootLimit: 60_000 } },
};
const scripts = new Set();
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params }) => scripts.add(params.url));
await session.post('Debugger.enable');
const loaded = () => [...scripts].filter((url) => /redis\\/dist\\/(engine|broker|scripts)\\.js$/.test(url)).length;
const tell = (name, text) => console.log(JSON.stringify([name, text]));

const off = await createTestApp({ dir: '.', disable: ['redis'], plugins: [redis({ client: () => { throw new Error('called'); }, name: 'shop' })] });
await off.post('/api/add/one');
tell('off', (await (await off.get('/api/read')).text()) + ' ' + (await (await off.get('/api/count/tea')).text()));
tell('log', (await off.post('/api/news', { n: 7 })).status);
await off.close();
tell('loaded when off', loaded());
for (const [name, options] of Object.entries(tries)) {
  const begun = performance.now();
  try {
    const app = await createTestApp({ dir: '.', ...options });
    await app.post('/api/add/one');
    tell(name, await (await app.get('/api/read')).text());
    await app.close();
  } catch (thrown) {
    tell(name, thrown.message.replace(/\\nRead more: .*/, '') + ' ' + thrown.name);
  }
  tell(name + ' took', performance.now() - begun);
}
tell('loaded when on', loaded());
session.disconnect();
await testPlugin(redis({ client, name: 'laws' }), {
  files: { 'api/x.get.js': "import { get } from 'fwkit'; export default get(() => 1);" },
});
tell('laws', 'hold');
`;

test('mistakes are reported; it breaks no law; without it, an app has a single machine', async ({
  redis,
}) => {
  const made = appOf({
    'boots.mjs': boots,
    // The outcomes contain its messages.
    'fwk.config.ts': "import { defineConfig } from 'fwkit';\nexport default defineConfig({});\n",
  });
  const args = ['NODE_ENV=test', ...variables(redis.url, 'redis'), process.execPath, 'boots.mjs'];
  const { status, stdout, stderr } = await ended(start('/usr/bin/env', args, made.root), 'boots.mjs');
  assert.is(status, 0, stdout + stderr);
  const results = new Map(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('['))
      .map((line) => JSON.parse(line) as [string, unknown]),
  );
  const reports = (name: string, expected: RegExp) => assert.match(String(results.get(name)), expected, name);
  reports('off', /^\[1,0\] 0$/);
  reports('log', /^200$/);
  reports('loaded when off', /^0$/);
  reports('loaded when on', /^2$/);
  reports('works', /^\[1,0\]$/);
  reports('laws', /^hold$/);
  reports('no function', /redis\(\{ client \}\) must be a function/);
  reports('no function', /redis\(\{ name \}\) must be a string of letters/);
  reports(
    'no name',
    /^FWK801 redis\(\) needs a name for the app, and package\.json has no "name"\. .* BootError$/,
  );
  reports(
    'a promise',
    /^FWK810 redis\(\{ client \}\) returned a promise\. Pass a function that returns a new client: .* BootError$/,
  );
  reports('two engines', /^FWK802 redis and other both connect machines\./);
  reports('a test machine', /^\[1,0\]$/);
  reports('an option', /unknown key "redis\.timeot"\. Did you mean "timeout"\?/);
  reports('an option', /"redis\.lease" must be a whole number of milliseconds, from 500 to \d+/);
  reports(
    'nobody there',
    /^FWK811 redis cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. Start Redis, or correct the address in redis\(\{ client \}\)\. BootError$/,
  );
  assert.ok(Number(results.get('nobody there took')) < 3_000);
  assert.ok(Number(results.get('a password took')) < 5_000);
  reports(
    'a password',
    /^FWK812 redis denies access: WRONGPASS .* Correct the user and password .* BootError$/,
  );
});

test('a start without Redis fails with a message and status 1, and commands do not connect', async () => {
  const made = appOf();
  const env = variables('redis://127.0.0.1:1', 'ioredis');
  const main =
    "import { bootstrap } from 'fwkit';\nawait bootstrap({ redis: { bootLimit: 1_000 }, port: 0 });\n";
  made.write('main.ts', main);
  const run = (args: readonly string[]) =>
    ended(start('/usr/bin/env', [...env, ...args], made.root), args.join(' '));
  const { status, stdout, stderr } = await run([process.execPath, 'main.js']);
  assert.is(status, 1);
  assert.match(
    stdout + stderr,
    /redis cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. Start Redis, or correct/,
  );
  assert.not.match(stdout + stderr, '    at ');
  const routes = await fwk(made, 'routes');
  assert.is(routes.status, 0, routes.stderr);
  assert.match(routes.stdout, 'GET /api/read');
});

const plain = `import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [redis({ client: () => createClient({ url: process.env.REDIS_URL ?? '' }) })], redis: { timeout: 500 } });
`;
const right = `import { log, type Log } from '@fwkit/redis/log';
import { publisher } from '@fwkit/redis/outside';
import { redis } from '@fwkit/redis';
import { createClient, createCluster } from '@redis/client';
import { service, sse, defineConfig } from 'fwkit';
import { Redis } from 'ioredis';

const url = process.env.REDIS_URL ?? '';
export default defineConfig({
  plugins: [redis({ client: () => createClient({ url }) }), redis({ client: () => new Redis(url), name: 'shop' })],
  redis: { timeout: 500, backlog: 1_000 },
});
export const news = service((_ctx, { peers }): Log<{ title: string }> => log<{ title: string }>(peers, 'news'));
export const stream = (one: Log<{ title: string }>) => sse((events) => one.replay(events));
const client = await createClient({ url }).connect();
export const received: number = await publisher({ client, name: 'shop' }).publish('tea', { price: 4 });
export const other = publisher({ client: new Redis(url), name: 'shop' });
`;
const wrong = `${right}
redis({ client: createClient({ url }) }); //! TS2322
redis({ client: async () => createClient({ url }) }); //! TS2322
redis({ client: () => createCluster({ rootNodes: [] }) }); //! TS2322
redis({}); //! TS2741
defineConfig({ redis: { timeot: 1 } }); //! TS2561 TS2353
defineConfig({ redis: { timeout: '1' } }); //! TS2322
publisher({ client }); //! TS2741
export const add = (one: Log<{ title: string }>) => one.append({ titel: '' }); //! TS2561 TS2353
`;

unsampled(test)('correct code compiles with the types of both clients, and wrong code does not', async () => {
  const typed = project({
    'fwk.config.ts': plain,
    'lib/right.ts': right,
    'lib/wrong.ts': wrong,
    'api/x.get.ts': route('get', '() => 1'),
  });
  linkLibraries(typed, '@redis/client', 'ioredis');
  assert.is((await fwk(typed, 'types')).status, 0);
  const results = await tsc(typed, undefined, { skipLibCheck: false });
  assert.equal(compared(typed, results, { 'lib/right.ts': right, 'lib/wrong.ts': wrong }), {
    missing: [],
    surplus: [],
  });
});

test('in fwk dev, an edited option applies to the next request', async ({ redis }) => {
  const made = appOf();
  const config = made
    .read('fwk.config.ts')
    .replace('process.env', JSON.stringify({ REDIS_URL: redis.url, CLIENT: 'redis' }));
  made.write('fwk.config.ts', config);
  const server = await dev(made);
  const visitor = new Visitor(server.url);
  await visitor.post('/api/add/one');
  assert.equal(await visitor.json('/api/read'), [1, 0]);
  const from = server.output.mark();
  made.write('fwk.config.ts', config.replace('heartbeat', 'timeout: 200, heartbeat'));
  await server.waitFor(/reloaded/, from);
  redis.pause();
  const begun = performance.now();
  assert.is((await visitor.visit('/api/read')).status, 503);
  const took = performance.now() - begun;
  redis.resume();
  assert.ok(took >= 180 && took < 700, `${took} ms`);
  await server.waitFor(/redis is available again/, from);
  assert.equal(await visitor.json('/api/read'), [1, 0]);
  await server.stop();
});

const tests = withRedis(test);
tests.run();
