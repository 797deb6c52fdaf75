import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect } from '../../harness/http.js';
import { type Production, production } from '../../harness/production.js';
import { configFile, module, route } from '../../harness/source.js';

// `req.url` combines the client's Host and the routed path. The Host must not change the path, or middlewares would
// check another path than the router.

const files = (trustProxy: boolean) => ({
  'fwk.config.ts': configFile(`{ http: { trustProxy: ${trustProxy} } }`),
  'middlewares/guard.ts': module(
    'middleware, error',
    `export default middleware((req, res, ctx, next) => {
       if (req.url.pathname.startsWith('/api/admin')) throw error(401, { message: 'Log in first' });
       return next();
     });`,
  ),
  'api/admin/[what].ts': route('get', `() => 'secret'`),
  'api/open/[what].ts': route(`(req) => ({ url: req.url.href, path: req.path, what: req.params.what })`),
});

const BAD = [
  'x?',
  'x/',
  'x#',
  'x\\',
  '/',
  '?',
  'u@x',
  'u:p@x',
  'x:y',
  'x:99999',
  'x:-1',
  'x:80:80',
  ':80',
  'x y',
  'x\t',
  '[::1',
  '::1',
  '[::g]',
  '[::1]x',
  '[fe80::1%25eth0]',
  '[v1.x]',
  'x%',
  'x%zz',
  'x%2f',
  'x,y/',
  'ex\xe4mple',
  'x"',
  '<x>',
  '1.2.3.4.5',
  'http://x',
  '',
].filter((host) => host.trim() === host || host === '');

const GOOD: Readonly<Record<string, string>> = {
  x: 'http://x',
  'x:': 'http://x',
  'x:80': 'http://x',
  'x:3000': 'http://x:3000',
  'Shop.Example.': 'http://shop.example.',
  my_service: 'http://my_service',
  '127.0.0.1:3000': 'http://127.0.0.1:3000',
  '[::1]': 'http://[::1]',
  '[::1]:3000': 'http://[::1]:3000',
};

const test = suite('the host');
let site: Production;
let proxied: Production;
test.before(async () => {
  [site, proxied] = await Promise.all([production(files(false)), production(files(true))]);
});
test.after(async () => {
  await Promise.all([site.stop(), proxied.stop()]);
});

/** The response to raw request lines, starting with its status. */
async function ask({ url }: Production, line: string, ...headers: string[]): Promise<string> {
  const connection: Connection = await connect(url);
  const lines = [line, ...headers, 'Connection: close', '', ''];
  connection.send(Buffer.from(lines.join('\r\n'), 'latin1'));
  return (await connection.rest()).replace(/^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n/, '$1 ');
}
const GET = (path: string, version = '1.1') => `GET ${path} HTTP/${version}`;

for (const host of BAD)
  test(`rejects Host ${JSON.stringify(host)}, which bypasses no guard`, async () => {
    const answer = await ask(site, GET('/api/admin/x'), `Host: ${host}`);
    assert.match(answer, /^400 /);
    assert.not.match(answer, 'secret');
    if (!/[\s\xe4]/.test(host))
      assert.match(
        answer,
        `Host must be a host with an optional port, not ${JSON.stringify(JSON.stringify(host)).slice(1, -1)}`,
      );
    assert.match(
      await ask(proxied, GET('/api/admin/x'), 'Host: x', `X-Forwarded-Host: ${host}`),
      host === '' ? /^401 / : /^400 /,
    );
  });

for (const [host, origin] of Object.entries(GOOD))
  test(`accepts Host ${host}`, async () => {
    const answer = await ask(site, GET('/api/open/x'), `Host: ${host}`);
    assert.is(
      answer,
      `200 ${JSON.stringify({ url: `${origin}/api/open/x`, path: '/api/open/x', what: 'x' })}`,
    );
    assert.is(await ask(proxied, GET('/api/open/x'), 'Host: y', `X-Forwarded-Host: ${host}`), answer);
    assert.match(await ask(site, GET('/api/admin/x'), `Host: ${host}`), /^401 /);
  });

test('ignores X-Forwarded headers without a trusted proxy', async () => {
  const answer = await ask(
    site,
    GET('/api/open/x'),
    'Host: x',
    'X-Forwarded-Host: y?',
    'X-Forwarded-Proto: ftp',
  );
  assert.match(answer, '"url":"http://x/api/open/x"');
});

test('rejects two Host headers', async () => {
  for (const more of ['Host: y', 'host: x', 'HOST:'])
    assert.match(await ask(site, GET('/api/open/x'), 'Host: x', more), 'more than one Host header');
});

test('a trusted proxy sets the scheme, also of a handshake', async () => {
  for (const [proto, scheme] of [
    ['https', 'https'],
    ['HTTP', 'http'],
    ['wss', 'https'],
    ['ws', 'http'],
  ])
    assert.match(
      await ask(proxied, GET('/api/open/x'), 'Host: x', `X-Forwarded-Proto: ${proto}`),
      `"url":"${scheme}://x/api/open/x"`,
    );
  for (const proto of ['ftp', 'javascript', 'http://y/?', 'https:', 'constructor'])
    assert.match(
      await ask(proxied, GET('/api/admin/x'), 'Host: x', `X-Forwarded-Proto: ${proto}`),
      /^400 .*X-Forwarded-Proto must be \\"http\\" or \\"https\\", not/,
    );
});

test('without Host, HTTP/1.0 uses the local address, and HTTP/1.1 is rejected', async () => {
  const { port } = new URL(site.url);
  const answer = await ask(site, GET('/api/open/x', '1.0'));
  assert.match(answer, new RegExp(`^200 .*"url":"http://(127\\.0\\.0\\.1|\\[::1\\]):${port}/api/open/x"`));
  assert.match(await ask(site, GET('/api/open/x')), /^400 /);
});

test('an absolute request URL takes precedence over Host', async () => {
  const answer = await ask(site, GET('http://shop.example:81/api/open/x?y'), 'Host: x?');
  assert.match(answer, '"url":"http://shop.example:81/api/open/x?y","path":"/api/open/x"');
  assert.match(await ask(site, GET('http://shop.example/api/admin/x'), 'Host: x'), /^401 /);
});

test('rejects a path that URL would parse as another path if a middleware reads the URL', async () => {
  for (const path of [
    '/api/open/../admin/x',
    '/api/open/%2e%2e/admin/x',
    '/api/admin/x/../y',
    '/api/./admin/x',
  ])
    assert.match(await ask(site, GET(path), 'Host: x'), /^40[04] /, path);
  for (const path of ['/api/open/a\\..\\..\\admin', '/api/open/a\\b', '/api/open/a#b', '/api/open/a?b#c'])
    assert.match(await ask(site, GET(path), 'Host: x'), /^400 .*Send the normalized path/, path);
});

test('accepts a path that URL only percent-encodes', async () => {
  const answer = await ask(site, GET('/api/open/a"b|c'), 'Host: x');
  const told = { url: 'http://x/api/open/a%22b|c', path: '/api/open/a"b|c', what: 'a"b|c' };
  assert.is(answer, `200 ${JSON.stringify(told)}`);
});

test.run();
