import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp, TestMachine } from '../../../testkit/index.js';
import { type Files, project } from '../../harness/project.js';
import { di, module, postRoute, route, service } from '../../harness/source.js';
import { createTestApp, testMachines } from '../../harness/testing.js';

const VALUES = ['one', 'two', 'three', 'four'];
const files: Files = {
  ...Object.fromEntries(VALUES.map((name) => [`di/${name}.ts`, di('session', `() => ({ text: '' })`)])),
  'api/set/[name]/[text].ts': postRoute(
    '(req, res, ctx) => { ctx[req.params.name].text = req.params.text; }',
  ),
  'api/list.ts': route('get', `(req, res, ctx) => ${JSON.stringify(VALUES)}.map((name) => ctx[name].text)`),
  'api/login.ts': module('post, renewSession', 'export default post((req) => renewSession(req));'),
  'api/logout.ts': module('post, endSession', 'export default post((req) => endSession(req));'),
  'api/plain.ts': route('get', '() => "plain"'),
  'api/limited.ts': module(
    'get',
    'export default get(() => 1).meta({ rateLimit: { limit: 100, window: 3_600 } });',
  ),
  'api/mine.ts': module(
    'get',
    'export default get(() => 1).meta({ rateLimit: { limit: 9, by: "session" } });',
  ),
  'api/cut.ts': route('get', '() => performance.cutNow()'),
  'api/token.ts': module('get, csrfToken', 'export default get((req) => csrfToken(req));'),
  'api/hits.ts': route('post', '(req, res, ctx) => ctx.hits.count()'),
  'api/heard.ts': route('get', '(req, res, ctx) => ctx.hits.heard'),
  'services/hits.ts': service(`(ctx, { peers, onStart }) => {
       const heard = [];
       peers.on('hits', ({ from }, body) => heard.push(from + ' ' + body));
       onStart(() => peers.send('hits', { from: peers.span }, 'began'));
       return { heard, count: () => peers.memory('hits').add('all', 1, 60) };
     }`),
};

interface Machines {
  readonly apps: readonly [TestApp, TestApp];
  readonly machines: readonly [TestMachine, TestMachine];
  readonly logged: string[];
}

async function together(use: (machines: Machines) => Promise<void>): Promise<void> {
  const make = testMachines();
  const machines = [make(), make()] as const;
  const { root } = project(files);
  const logged: string[] = [];
  const note = (...values: unknown[]) => void logged.push(values.map(String).join(' '));
  const logger = { debug: note, info: note, warn: note, error: note };
  const boot = (machine: TestMachine) => createTestApp({ dir: root, machine, logger });
  const apps = [await boot(machines[0]), await boot(machines[1])] as const;
  try {
    await use({ apps, machines, logged });
  } finally {
    for (const app of apps) await app.close();
  }
}

/** A visitor of the first app visits the second. */
const follow = ([a, b]: Machines['apps']): void => {
  b.cookies.clear();
  for (const [name, value] of a.cookies) b.cookies.set(name, value);
};

const test = suite('two machines');

test('machines share a session, and keep concurrent writes of different values', () =>
  together(async ({ apps }) => {
    const [a, b] = apps;
    await a.post('/api/set/one/first');
    follow(apps);
    assert.equal(await (await b.get('/api/list')).json(), ['first', '', '', '']);
    for (let round = 0; round < 25; round += 1) {
      const writes = VALUES.map((name, index) => apps[index % 2]?.post(`/api/set/${name}/${name}${round}`));
      for (const written of await Promise.all(writes)) assert.is(written?.status, 204);
      const expected = VALUES.map((name) => `${name}${round}`);
      assert.equal(await (await a.get('/api/list')).json(), expected);
      assert.equal(await (await b.get('/api/list')).json(), expected);
    }
    // A session that ended on one machine has ended on the other, and a late request does not restore it.
    assert.is((await b.post('/api/logout')).status, 204);
    await a.post('/api/set/one/late');
    assert.equal(await (await b.get('/api/list')).json(), ['', '', '', '']);
  }));

test('a renewed session has a single new ID on every machine', () =>
  together(async ({ apps }) => {
    const [a, b] = apps;
    await a.post('/api/set/one/mine');
    follow(apps);
    const before = a.cookies.get('session');
    await Promise.all([a.post('/api/login'), b.post('/api/login')]);
    const ids = new Set([a, b].map(({ cookies }) => cookies.get('session')));
    ids.delete(before);
    assert.is(ids.size, 1);
    const renewed = [a, b].find(({ cookies }) => cookies.get('session') !== before);
    assert.equal(await (await renewed?.get('/api/list'))?.json(), ['mine', '', '', '']);
  }));

test('two machines allow exactly 100 of 300 requests within a limit of 100', () =>
  together(async ({ apps }) => {
    const responses = Array.from({ length: 300 }, (_, index) => apps[index % 2]?.get('/api/limited'));
    const statuses = (await Promise.all(responses)).map((answer) => answer?.status);
    assert.is(statuses.filter((status) => status === 200).length, 100);
    assert.is(statuses.filter((status) => status === 429).length, 200);
  }));

test('services on several machines count and exchange messages', () =>
  together(async ({ apps }) => {
    const [a, b] = apps;
    const counted = await Promise.all([a, b, a, b].map(async (app) => (await app.post('/api/hits')).json()));
    assert.equal(counted.sort(), [1, 2, 3, 4]);
    // Only the second machine receives it.
    assert.equal(await (await a.get('/api/heard')).json(), ['machines began']);
  }));

test('a disconnected machine answers 503 for session reads, and other requests as usual', () =>
  together(async ({ apps, machines, logged }) => {
    const [a, b] = apps;
    await a.post('/api/set/one/kept');
    follow(apps);
    machines[1].cut();
    logged.length = 0;
    for (let time = 0; time < 5; time += 1) {
      const refused = await b.get('/api/list');
      assert.is(refused.status, 503);
      assert.is(refused.headers.get('retry-after'), '1');
      assert.is(refused.headers.get('set-cookie'), null, 'the visitor keeps its session');
      assert.match(await refused.text(), /temporarily unavailable/);
      assert.is((await b.get('/api/plain')).status, 200);
    }
    for (const path of ['/api/login', '/api/logout', '/api/set/one/other', '/api/hits'])
      assert.is((await b.post(path)).status, 503, path);
    assert.is((await b.get('/api/limited')).status, 200, 'it counts alone');
    assert.is((await b.get('/api/mine')).status, 200, 'it counts by address');
    assert.is((await b.get('/api/token')).status, 503, 'it would be of no session');
    assert.is(logged.filter((line) => /answered 503/.test(line)).length, 1, logged.join('\n'));
    assert.is((await a.get('/api/list')).status, 200);
    machines[1].mend();
    assert.equal(await (await b.get('/api/list')).json(), ['kept', '', '', '']);
  }));

test('a session that could not be extended is answered, and extended by the next visit', () =>
  together(async ({ apps: [a], machines: [machine], logged }) => {
    await a.post('/api/set/one/kept');
    const { now } = performance;
    const later = performance.now() + 400_000_000;
    Object.assign(performance, { now: () => later, cutNow: () => machine.cut() });
    try {
      const answer = await a.get('/api/cut');
      assert.equal([answer.status, answer.headers.get('set-cookie')], [204, null]);
      assert.ok(logged.some((line) => /GET \/api\/cut could not extend its session/.test(line)));
      machine.mend();
      assert.match(String((await a.get('/api/plain')).headers.get('set-cookie')), /^session=/);
    } finally {
      performance.now = now;
    }
  }));

test.run();

const mistakes = suite('mistakes of machines');

const refused = async (more: Files, engines: number, env: Readonly<Record<string, string>> = {}) => {
  const make = testMachines();
  Object.assign(globalThis, { engines: Array.from({ length: engines }, () => make()) });
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    const { root } = project({ ...more, 'fwk.config.ts': config(String(more['fwk.config.ts'] ?? '')) });
    const app = await createTestApp({ dir: root });
    await app.close();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    for (const name of Object.keys(env))
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
};

const config = (more: string) =>
  module(
    'defineConfig',
    `import { spanMachines } from 'fwkit/peers';
     const spans = {
       name: 'spans',
       apply(hooks) {
         hooks.serve.tapPromise({ name: 'spans', stage: -100 }, async ({ runtime }) => {
           for (const engine of globalThis.engines) spanMachines(runtime, engine);
         });
       },
     };
     export default defineConfig({ plugins: [spans], ${more} });`,
  );

const tool: Files = {
  'mcp/tools/hello.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Greets.', handler: () => 'hello' });`,
};

mistakes('rejects two engines', async () => {
  assert.match(
    String(await refused({ 'api/x.ts': route('get', '() => 1') }, 2)),
    /^FWK802 testMachines and testMachines both connect machines\. Remove one of them from "plugins" in fwk\.config\.\n/,
  );
});

mistakes('MCP sessions belong to one machine', async () => {
  assert.match(String(await refused(tool, 1)), /^FWK518 MCP sessions do not work with several machines/);
  for (const sessions of ['false', `'sticky'`])
    assert.is(await refused({ ...tool, 'fwk.config.ts': `mcp: { sessions: ${sessions} }` }, 1), undefined);
});

mistakes('machines need a shared secret in production', async () => {
  const env = { NODE_ENV: 'production' };
  const stateless = { ...tool, 'fwk.config.ts': 'mcp: { sessions: false }' };
  assert.match(
    String(await refused(stateless, 1, env)),
    /^FWK207 FWK_SECRET is not set, but machines connected by testMachines need a common secret for mcp\./,
  );
  assert.match(
    String(await refused(stateless, 1, { ...env, FWK_SECRET: 'short' })),
    /^FWK205 FWK_SECRET has only 5 characters\. Set it to at least 32 random characters/,
  );
  const given = { ...env, FWK_SECRET: 'x'.repeat(32) };
  assert.is(await refused(stateless, 1, given), undefined);
  const { 'di/one.ts': one = '', 'api/list.ts': list = '' } = files;
  const sessions = { 'di/one.ts': one, 'api/list.ts': list };
  const blank = String(await refused(sessions, 1, { ...env, FWK_SECRET: '  ' }));
  assert.match(blank, /Set SESSION_SECRET, FWK_SECRET, or/);
  assert.is(await refused(sessions, 1, given), undefined);
});

mistakes.run();
