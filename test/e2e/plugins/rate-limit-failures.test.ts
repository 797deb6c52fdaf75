import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, route } from '../../harness/source.js';

const LIMIT = `{ limit: 3, window: 1000, count: 'failures' }`;
const limited = (names: string, handler: string) =>
  `${route(names, handler).replace(/;\n$/, '')}.meta({ rateLimit: ${LIMIT} });\n`;

const files = {
  'fwk.config.ts': configFile(
    `{ http: { trustProxy: true }, rateLimit: { paths: { '/ws': ${LIMIT}, '/both': [${LIMIT}, { limit: 5, window: 1000 }] } } }`,
  ),
  'api/throws.get.ts': limited(
    'get, error',
    `({ query }) => { if (query.bad) throw error(Number(query.bad)); return 1; }`,
  ),
  'api/sets.get.ts': limited(
    'get',
    `({ query }, res) => { res.status(Number(query.bad ?? 200)); return 'x'; }`,
  ),
  'api/web.get.ts': limited('get', `({ query }) => new Response('x', { status: Number(query.bad ?? 200) })`),
  'api/checked.get.ts': limited(
    'get',
    `{ query: { '~standard': { version: 1, vendor: 'test', validate: (value) => (value.bad ? { issues: [{ message: 'bad' }] } : { value }) } } }, () => 1`,
  ),
  'lib/gate.ts':
    'export const gate = {};\ngate.promise = new Promise((resolve) => { gate.resolve = resolve; });',
  'api/held.get.ts': `import { gate } from '../lib/gate.js';\n${limited('get', 'async () => { await gate.promise; return 1; }')}`,
  'api/open.post.ts': `import { gate } from '../lib/gate.js';\n${route('post', '() => gate.resolve()')}`,
  'api/events.get.ts': limited('sse', '() => () => {}'),
  'ws/echo.ts': route('ws', '({ send, onMessage }) => onMessage(send)'),
  'web/both/get.ts': route('get, error', `({ query }) => { if (query.bad) throw error(400); return 1; }`),
};

const test = suite('rateLimit.count');
const server = await production(files);
test.after(async () => void (await server.stop()));

let addresses = 0;
/** A client with its own address; returns the status of each request. */
function client() {
  addresses += 1;
  const headers = { 'x-forwarded-for': `10.1.0.${addresses}` };
  return { headers, ask: async (path: string) => (await server.raw(path, { headers })).status };
}

for (const [path, bad] of [
  ['/api/throws', 401],
  ['/api/sets', 422],
  ['/api/web', 403],
  ['/api/checked', 422],
] as const)
  test(`${path}: ${bad} counts, and a success does not`, async () => {
    const { ask } = client();
    for (let sent = 0; sent < 8; sent += 1) assert.is(await ask(path), 200);
    for (let sent = 0; sent < 3; sent += 1) {
      assert.is(await ask(`${path}?bad=${bad}`), bad);
      if (sent < 2) assert.is(await ask(path), 200);
    }
    assert.is(await ask(path), 429);
    assert.is(await client().ask(path), 200);
  });

test('server errors, and a 429 of the route itself, do not count', async () => {
  for (const status of [500, 503, 429]) {
    const { ask } = client();
    for (let sent = 0; sent < 8; sent += 1) assert.is(await ask(`/api/throws?bad=${status}`), status);
  }
});

test('answers no more concurrent requests than the limit', async () => {
  const { ask } = client();
  let refused = 0;
  const responses = Array.from({ length: 10 }, async () => {
    const status = await ask('/api/held');
    if (status === 429) refused += 1;
    if (refused === 7) await server.raw('/api/open', { method: 'POST' });
    return status;
  });
  assert.is((await Promise.all(responses)).filter((status) => status === 200).length, 3);
  assert.is(await ask('/api/held'), 200);
});

test('an open stream and an open socket do not count', async () => {
  const { headers, ask } = client();
  const open = [];
  for (let sent = 0; sent < 5; sent += 1) {
    const abort = new AbortController();
    open.push(abort);
    const { status } = await fetch(new URL('/api/events', server.url), { headers, signal: abort.signal });
    assert.is(status, 200);
    const peer = await connectSocket(server.url, '/ws/echo', { headers });
    await peer.send('x').next();
    open.push({ abort: () => peer.close() });
  }
  assert.is(await ask('/ws/echo'), 426);
  for (const one of open) one.abort();
});

test('another limit of the route counts every request', async () => {
  const { headers, ask } = client();
  for (const [path, status] of [
    ['/both?bad=1', 400],
    ['/both?bad=1', 400],
    ['/both', 200],
    ['/both', 200],
    ['/both', 200],
    ['/both', 429],
  ] as const)
    assert.is(await ask(path), status);
  const { headers: told } = await server.raw('/both', { headers });
  assert.match(String(told['ratelimit-policy']), /"ip-1000s";q=5;w=1000/);
});

test('the headers name the limit, and the rejection says what counts', async () => {
  const { headers, ask } = client();
  for (let sent = 0; sent < 3; sent += 1) await ask('/api/throws?bad=401');
  const refused = await server.raw('/api/throws', { headers });
  assert.is(refused.headers['ratelimit-policy'], '"ip-failures-1000s";q=3;w=1000');
  assert.match(refused.text, /Too many failed requests: at most 3 in 1000 s\. Try again in \d+ s/);
});

test('reports an invalid option', async () => {
  const wrong = limited('get', '() => 1').replace("'failures'", "'errors'");
  const { status, stderr } = await fwk(project({ 'api/x.ts': wrong }), 'routes');
  assert.is(status, 1);
  assert.match(
    stderr,
    /FWK407 .*has \.meta\(\{ rateLimit \}\), which has count: "errors"\. Make it "all" or "failures"/,
  );
});

test.run();
