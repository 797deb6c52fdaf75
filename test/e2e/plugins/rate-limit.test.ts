import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../../harness/cookie-client.js';
import { fwk } from '../../harness/fwk.js';
import { connect, type Sent, tcp } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { handshake } from '../../harness/socket.js';
import { configFile, di, module, route } from '../../harness/source.js';

const limited = (limit: string, handler = '() => 1', method = 'get') =>
  `${route(method, handler).replace(/;\n$/, '')}.meta({ rateLimit: ${limit} });\n`;

const files = {
  'fwk.config.ts': configFile(`{
       http: { trustProxy: true },
       session: { secrets: 'x'.repeat(32) },
       rateLimit: { limit: 4, window: 1000, paths: { '/free': false, '/api/few': { limit: 2 }, '/ws': { limit: 1 }, '/mcp': { limit: 1 } } },
     }`),
  'middlewares/1.count.ts': module(
    'middleware',
    `let ran = 0;
     export default middleware((req, res, ctx, next) => { res.header('x-ran', String(++ran)); return next(); });`,
  ),
  'di/user.ts': di('session', `() => ({ name: '' })`),
  'api/plain.get.ts': route('get', '() => 1'),
  'api/login.post.ts': route('post', `(req, res, ctx) => { ctx.user.name = 'ann'; }`),
  'web/free/[x].get.ts': route('get', '() => 1'),
  'api/few/a.get.ts': route('get', '() => 1'),
  'api/few/b.post.ts': route('post', '() => 1'),
  'api/two.get.ts': limited('[{ limit: 3, window: 5000 }, { limit: 2, window: 1000 }]'),
  'api/all.get.ts': limited('false'),
  'api/shared/a.get.ts': limited(`{ limit: 2, name: 'both' }`),
  'api/shared/b.get.ts': limited(`{ limit: 2, name: 'both' }`),
  'api/session.get.ts': limited(`{ limit: 2, by: 'session' }`),
  'api/key.get.ts': limited('{ limit: 1, by: ({ query }) => query.k }'),
  'api/later.get.ts': limited('{ limit: 1, by: async ({ query }) => query.k }'),
  'api/bad.get.ts': limited(`{ limit: 1, by: () => { throw new Error('no key'); } }`),
  'api/soon.get.ts': limited('{ limit: 1, window: 1 }'),
  'api/busy.get.ts': route(
    `() => { console.log('[busy]'); for (const end = performance.now() + 500; performance.now() < end; ); }`,
  ),
  'api/address.get.ts': route('get', "({ ip }) => console.log('[address ' + ip + ']')"),
  'ws/echo.ts': route('ws', '() => {}'),
  'mcp/tools/echo.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Echo', handler: () => 'echo' });\n`,
};

const test = suite('rate-limit');
const server = await production(files);
test.after(async () => void (await server.stop()));

/** A client with its own address. */
const client =
  (address: string) =>
  (path: string, sent: Sent = {}) =>
    server.raw(path, { ...sent, headers: { ...sent.headers, 'x-forwarded-for': address } });
const statuses = async (ask: ReturnType<typeof client>, ...paths: string[]): Promise<number[]> => {
  const all: number[] = [];
  for (const path of paths) all.push((await ask(path)).status);
  return all;
};

test('a client gets responses up to the limit, and then 429 with Retry-After', async () => {
  const ask = client('10.0.0.1');
  const first = await ask('/api/plain');
  assert.is(first.headers['ratelimit-policy'], '"ip-1000s";q=4;w=1000');
  assert.match(String(first.headers.ratelimit), /^"ip-1000s";r=3;t=\d+$/);
  assert.equal(await statuses(ask, '/api/plain', '/api/plain', '/api/plain'), [200, 200, 200]);
  const last = await ask('/api/plain');
  assert.is(last.status, 429);
  assert.match(String(last.headers['content-type']), 'application/problem+json');
  assert.match(String(last.headers['retry-after']), /^\d{1,4}$/);
  assert.is(last.headers.ratelimit, `"ip-1000s";r=0;t=${last.headers['retry-after']}`);
  assert.is(last.headers['x-ran'], undefined, 'no middleware ran');
  assert.is((await client('10.0.0.2')('/api/plain')).status, 200, 'others are not concerned');
});

test('unknown URLs count, and exempt requests do not', async () => {
  const ask = client('10.0.1.1');
  assert.equal(
    await statuses(ask, '/wp-admin', '/%zz', '/api/login', '/.env', '/.git', '/api/plain'),
    [404, 400, 405, 404, 429, 429],
  );
  assert.equal(await statuses(ask, '/free/1', '/free/2', '/free', '/api/all'), [200, 200, 404, 200]);
});

test('the nearest limit applies, with its own counter', async () => {
  const ask = client('10.0.2.1');
  assert.equal(
    await statuses(ask, '/api/few/a', '/api/few/nowhere', '/api/f%65w/a', '/api/few/x'),
    [200, 404, 429, 429],
  );
  assert.equal(
    await statuses(ask, '/api/shared/a', '/api/shared/b', '/api/shared/a', '/api/plain'),
    [200, 200, 429, 200],
  );
});

test('all limits in a list apply', async () => {
  const ask = client('10.0.3.1');
  const { headers } = await ask('/api/two');
  assert.is(headers['ratelimit-policy'], '"ip-1000s";q=2;w=1000, "ip-5000s";q=3;w=5000');
  assert.match(String(headers.ratelimit), /^"ip-1000s";r=1;t=\d+, "ip-5000s";r=2;t=\d+$/);
  assert.equal(await statuses(ask, '/api/two', '/api/two'), [200, 429]);
});

test('an IPv6 address counts as its network, and the port is ignored', async () => {
  for (const addresses of [
    ['2001:db8:0:1::1', '2001:DB8::1:ffff:1:2:3', '[2001:db8:0:1:9::]:443'],
    ['::ffff:10.9.9.9', '10.9.9.9', '10.9.9.9:80'],
    ['fe80::1%eth0', 'fe80:0:0:0:1:2:3:4', 'fe80::10.0.0.1'],
  ]) {
    const answers = [];
    for (const address of addresses) answers.push((await client(address)('/api/few/a')).status);
    assert.equal(answers, [200, 200, 429], addresses.join());
  }
  assert.is((await client('2001:db8:0:2::1')('/api/few/a')).status, 200);
});

test('by session: one visitor at two addresses; without a session, by address', async () => {
  const ann = new Visitor(server.url);
  await ann.post('/api/login');
  const from = async (address: string, visitor: Visitor) =>
    (await visitor.visit('/api/session', { headers: { 'x-forwarded-for': address } })).status;
  assert.equal(
    [await from('10.0.4.1', ann), await from('10.0.4.2', ann), await from('10.0.4.3', ann)],
    [200, 200, 429],
  );
  const anybody = () => new Visitor(server.url, 'session=forged.x');
  const answers = [];
  for (let sent = 0; sent < 3; sent += 1) answers.push(await from('10.0.4.1', anybody()));
  assert.equal(answers, [200, 200, 429]);
});

test('by a function', async () => {
  const ask = client('10.0.5.1');
  for (const path of ['/api/key', '/api/later']) {
    assert.equal(
      await statuses(ask, `${path}?k=a`, `${path}?k=b`, `${path}?k=a`, path, path),
      [200, 200, 429, 200, 200],
    );
    const long = 'x'.repeat(5_000);
    assert.equal(
      await statuses(ask, `${path}?k=${long}1`, `${path}?k=${long}2`, `${path}?k=${long}1`),
      [200, 200, 429],
    );
  }
  assert.is((await ask('/api/bad')).status, 500);
});

test('handshakes and the MCP endpoint are limited like routes', async () => {
  const headers = { 'x-forwarded-for': '10.0.6.1' };
  assert.is(
    (await handshake(server.url, '/ws/echo', { ...headers, 'sec-websocket-version': '1' })).status,
    426,
  );
  assert.is((await handshake(server.url, '/ws/echo', headers)).status, 429);
  const answers = [];
  for (let sent = 0; sent < 2; sent += 1)
    answers.push((await server.raw('/mcp', { method: 'DELETE', headers })).status);
  assert.is.not(answers[0], 429);
  assert.is(answers[1], 429);
});

test('rejects a request before its body arrives', async () => {
  const head = 'POST /api/few/b HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.7.1\r\n';
  await client('10.0.7.1')('/api/few/a');
  await client('10.0.7.1')('/api/few/a');
  const connection = await connect(server.url);
  connection.send(`${head}Content-Length: 100\r\n\r\n`);
  assert.match(await connection.read(/\}$/), /^HTTP\/1.1 429 /);
  connection.close();
});

test('a client that waits for Retry-After gets a response', async () => {
  const ask = client('10.0.8.1');
  assert.is((await ask('/api/soon')).status, 200);
  const refused = await ask('/api/soon');
  // The window may have ended in between.
  if (refused.status === 200) return;
  await new Promise((resolve) => setTimeout(resolve, Number(refused.headers['retry-after']) * 1000));
  assert.is((await ask('/api/soon')).status, 200);
});

test('a client that disconnects early is not counted as one without an address', async () => {
  const leaving = await tcp(server.url);
  const busy = client('10.0.0.77')('/api/busy');
  await server.output.waitFor(/\[busy\]/);
  leaving.write('GET /api/address HTTP/1.1\r\nHost: localhost\r\n\r\n', () => leaving.resetAndDestroy());
  await server.output.waitFor(/\[address .*\]/);
  assert.is((await busy).status, 204);
  assert.not.match(server.output.all, 'clients without an address');
});

test('reports invalid limits at boot', async () => {
  const tried = async (config: string, meta: string): Promise<string> => {
    const made = project({
      'fwk.config.ts': configFile(`{ ${config} }`),
      'api/a.get.ts': `${route('get', '() => 1').replace(/;\n$/, '')}.meta(${meta});\n`,
    });
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 1, stderr);
    return stderr;
  };
  assert.match(
    await tried('', `{ rateLimit: { limit: 1, every: 5 }, csrf: true }`),
    /has \.meta\(\{ rateLimit \}\), which has "every", which is not an option \(limit, window, by, count, name/,
  );
  const list = '{ limit: 1, by: () => "a" }, { limit: 1, by: () => "b" }';
  assert.match(
    await tried('rateLimit: { limit: 1, limits: [{ limit: 2 }] }', `{ rateLimit: [${list}], csrf: true }`),
    /\{ csrf: true \}[\s\S]*a\.get\.ts: has two limits called "key-60s", of GET \/api\/a\. Remove[\s\S]*fwk\.config: has two limits called "ip-60s"\./,
  );
  assert.match(
    await tried(
      `rateLimit: { limit: 0, window: 'x', paths: { api: false } }, csrf: { origins: ['shop.example'], paths: { '/a': true } }`,
      '{}',
    ),
    /(?=[\s\S]*"rateLimit\.limit" must be)(?=[\s\S]*"rateLimit\.window" must be)(?=[\s\S]*"rateLimit\.paths" must be)(?=[\s\S]*"csrf\.origins" must be)[\s\S]*"csrf\.paths" must be/,
  );
});

test.run();
