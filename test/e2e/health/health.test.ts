import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { type Production, production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { configFile, module, route, service } from '../../harness/source.js';
import { team, workersMain } from '../../harness/workers.js';

const GUARD = module(
  'middleware, error',
  `export default middleware((req, res, ctx) => {
     res.header('x-asked', String(ctx.database.asked));
     throw error(401, 'Who are you?');
   });`,
);
const config = (more: string) => configFile(`{ ${more} }`);
const files: Files = {
  'middlewares/1.guard.ts': GUARD,
  'web/[...rest].get.ts': route('get', '() => "a page"'),
  'services/database.ts': service(`() => ({ asked: 0, state: 'up' }), {
       health: async (database) => {
         database.asked += 1;
         await new Promise((resolve) => setTimeout(resolve, 30));
         if (database.state === 'broken') throw new Error('secret address 10.0.0.7 refused');
         return database.state === 'up';
       },
     }`),
  'services/state.ts': service(`({ database }) => {
       process.on('SIGUSR2', () => {
         database.state = { up: 'down', down: 'broken', broken: 'up' }[database.state];
         console.log('[' + database.state + ' ' + database.asked + ']');
       });
     }`),
};

const test = suite('health');
const server = await production({ ...files, 'fwk.config.ts': configFile('{ http: { drainDelay: 400 } }') });

const next = async ({ output, child }: Production) => {
  const from = output.mark();
  child.kill('SIGUSR2');
  const [, state] = await output.waitFor(/\[(\w+) \d+\]/, from);
  return state;
};

test('health routes bypass middlewares and catch-all routes and are not cached', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status, json, headers } = await server.raw(path);
    assert.is(status, 200);
    assert.equal(json, { status: 'ok' });
    assert.is(headers['cache-control'], 'no-store');
    assert.is((await server.raw(path, { method: 'HEAD' })).status, 200);
  }
  assert.is((await server.raw('/other')).status, 401);
  assert.is((await server.raw('/readyz', { method: 'POST' })).status, 405);
});

/** Resolves when probes no longer share the last result. */
const untilFresh = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_050));

test('a failing service is named, its reason is logged once, and the process keeps running', async () => {
  const from = server.output.mark();
  for (const state of ['down', 'broken']) {
    assert.is(await next(server), state);
    await untilFresh();
    for (let time = 0; time < 2; time += 1) {
      const { status, text } = await server.raw('/readyz');
      assert.is(status, 503);
      assert.is(text, '{"status":"unavailable","failing":["database"]}');
    }
    assert.is((await server.raw('/healthz')).status, 200);
  }
  assert.is(await next(server), 'up');
  await untilFresh();
  assert.is((await server.raw('/readyz')).status, 200);
  const said = server.output.all.slice(from);
  assert.is(
    said.match(/Not ready: database \(the health check of ctx\.database returned false\)\./g)?.length,
    1,
    said,
  );
  assert.match(said, /Ready again\./);
});

test('concurrent probes share one result', async () => {
  const asked = async () => Number((await server.raw('/asked')).headers['x-asked']);
  await untilFresh();
  const before = await asked();
  const connection = await connect(server.url);
  // In one packet: the first check is still running when the last probe is read.
  connection.send('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
  await connection.read(/(?:HTTP\/1\.1 200 [\s\S]*?"ok"\}[\s\S]*?){10}/);
  connection.close();
  assert.is((await asked()) - before, 1);
});

test('on SIGTERM, /readyz fails while the app keeps answering for http.drainDelay', async () => {
  const began = performance.now();
  const ended = once(server.child, 'exit').then(([status]) => status);
  server.child.kill('SIGTERM');
  let answer = await server.raw('/readyz');
  while (answer.status === 200) answer = await server.raw('/readyz');
  assert.equal(answer.json, { status: 'ending' });
  assert.is((await server.raw('/healthz')).status, 200);
  const late = await connect(server.url);
  late.send('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
  const response = await late.rest();
  assert.match(response, /^HTTP\/1\.1 401 /, 'new connections are accepted');
  assert.match(response, /\r\nConnection: close\r\n/, 'and leave');
  assert.is(await ended, 0);
  assert.ok(performance.now() - began >= 390);
});

test.run();

const others = suite('health elsewhere');

others('a route of the project takes precedence, paths are options, and edits apply', async () => {
  const made = project({
    'web/healthz.get.ts': route('get', '() => "mine"'),
    'fwk.config.ts': config(`health: { ready: '/up' }`),
    'services/cache.ts': service('() => 1, { health: () => false }'),
  });
  const server = await dev(made);
  assert.is(await (await server.fetch('/healthz')).text(), '"mine"');
  assert.is((await server.fetch('/readyz')).status, 404);
  assert.equal(await (await server.fetch('/up')).json(), { status: 'unavailable', failing: ['cache'] });
  const from = server.output.mark();
  made.write('services/cache.ts', service('() => 2, { health: () => true }'));
  await server.waitFor(/reloaded/, from);
  assert.equal(await (await server.fetch('/up')).json(), { status: 'ok' });
  const again = server.output.mark();
  made.write('fwk.config.ts', config('health: { live: false, ready: false }'));
  await server.waitFor(/reloaded/, again);
  assert.is((await server.fetch('/up')).status, 404);
  await server.stop();
});

others('each worker reports its own health, and none is ready during shutdown', async () => {
  const running = await team(
    project(
      { 'main.ts': workersMain(), ...files, 'fwk.config.ts': config('http: { drainDelay: 400 }') },
      'js',
    ),
  );
  assert.is((await running.ask('/readyz')).status, 200);
  const from = running.output.mark();
  running.child.kill('SIGHUP');
  for (let ready = true; ready; ) {
    assert.is((await running.ask('/readyz')).status, 200, 'of a reload nobody hears');
    ready = !/Reloaded/.test(running.output.all.slice(from));
  }
  running.child.kill('SIGTERM');
  let answer = await running.ask('/readyz');
  while (answer.status === 200) answer = await running.ask('/readyz');
  assert.equal(answer.json, { status: 'ending' });
  assert.is((await running.ask('/readyz')).status, 503);
  const { status } = await running.end;
  assert.is(status, 0);
});

others.run();
