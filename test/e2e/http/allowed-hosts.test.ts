import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { type Production, production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { createApp } from '../../harness/settings.js';
import { handshake } from '../../harness/socket.js';
import { configFile, module, route, wsModule } from '../../harness/source.js';

// http.hosts: in production, requests for any other host get 421 before any code of the project runs.

const files = (http: string) => ({
  'fwk.config.ts': configFile(`{ http: { hosts: ['Shop.example', '.shop.test'], ${http} } }`),
  'middlewares/seen.ts': module(
    'middleware',
    `export default middleware((req, res, ctx, next) => { console.log('ran for', req.url.host); return next(); });`,
  ),
  'api/host.ts': route('get', '(req) => req.url.host'),
  'api/echo.ts': route('post', '(req) => req.body'),
  'api/inside.ts': route('get', `() => 'inside'`),
  'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((m) => { send(m); })'),
  'public/logo.svg': '<svg/>',
});

const test = suite('http.hosts');
let site: Production;
let proxied: Production;
test.before(async () => {
  [site, proxied] = await Promise.all([production(files('')), production(files('trustProxy: 1'))]);
});
test.after(async () => {
  await Promise.all([site.stop(), proxied.stop()]);
});

const status = async (of: Production, headers: Record<string, string>, path = '/api/host') =>
  (await of.raw(path, { headers })).status;

test('answers the listed names, with any port and in any case', async () => {
  for (const host of [
    'shop.example',
    'SHOP.example:8080',
    'shop.example.',
    'www.shop.test',
    'a.b.shop.test:1',
  ])
    assert.is(await status(site, { host }), 200, host);
});

test('answers other hosts with 421 for every URL, before any middleware', async () => {
  for (const host of [
    'evil.example',
    'shop.test',
    'shop.example.evil.example',
    'localhost',
    '127.0.0.1',
    'ashop.test',
  ])
    for (const path of ['/api/host', '/api/none', '/logo.svg', '/ws/echo', '/%zz', '/healthz/x'])
      assert.is(await status(site, { host }, path), 421, `${host} ${path}`);
  const { headers, json } = await site.raw('/api/host', { headers: { host: 'evil.example' } });
  assert.match(headers['content-type'] ?? '', 'application/problem+json');
  assert.equal(json, {
    status: 421,
    title: 'Misdirected Request',
    message: 'This server does not answer requests for the host "evil.example"',
  });
  assert.not.match(site.output.all, 'ran for evil');
  assert.match(site.output.all, 'To allow it, add it to http.hosts in fwk.config');
});

test('also rejects bodies, handshakes, absolute targets and requests without a host', async () => {
  const headers = { host: 'evil.example', 'content-type': 'application/json' };
  assert.is((await site.raw('/api/echo', { method: 'POST', headers, body: '{"a":1}' })).status, 421);
  assert.is((await handshake(site.url, '/ws/echo', { host: 'evil.example' })).status, 421);
  const answerTo = async (head: string) => {
    const connection = await connect(site.url);
    connection.send(`${head}\r\nConnection: close\r\n\r\n`);
    return (await connection.rest()).slice(9, 12);
  };
  assert.is(await answerTo('GET http://evil.example/api/host HTTP/1.1\r\nHost: shop.example'), '421');
  assert.is(await answerTo('GET http://evil.example/healthz HTTP/1.1\r\nHost: shop.example'), '421');
  assert.is(await answerTo('GET http://shop.example/api/host HTTP/1.1\r\nHost: evil.example'), '200');
  assert.is(await answerTo('GET /api/host HTTP/1.0'), '421');
  assert.is(await answerTo('GET /api/host HTTP/1.1\r\nHost: shop.example\r\nHost: evil.example'), '400');
  assert.is(await answerTo('GET /api/host HTTP/1.1\r\nHost:'), '400');
});

test('always answers health checks', async () => {
  for (const path of ['/healthz', '/readyz'])
    assert.is(await status(site, { host: '10.0.0.7:3000' }, path), 200);
});

test('checks X-Forwarded-Host if the proxy is trusted, and ignores it otherwise', async () => {
  const both = (host: string, forwarded: string) => ({ host, 'x-forwarded-host': forwarded });
  assert.is(await status(proxied, both('internal', 'shop.example')), 200);
  assert.is(await status(proxied, both('shop.example', 'evil.example')), 421);
  assert.is(await status(site, both('internal', 'shop.example')), 421);
  assert.is(await status(site, both('shop.example', 'evil.example')), 200);
});

test('applies to app.fetch', async () => {
  const app = await createApp(project(files(''), 'js'), '.');
  assert.is((await app.fetch(new Request('http://shop.example/api/inside'))).status, 200);
  assert.is((await app.fetch(new Request('http://evil.example/api/inside'))).status, 421);
  await app.close();
});

test('a wrong value keeps the app from starting', async () => {
  for (const wrong of ['https://shop.example', 'shop.example:80', '*']) {
    const config = configFile(`{ http: { hosts: ['${wrong}'] } }`);
    const started = await fwk(project({ 'fwk.config.ts': config }), 'routes');
    assert.is.not(started.status, 0, wrong);
    assert.match(
      started.stderr + started.stdout,
      'a list of host names without ports, such as "shop.example"',
    );
  }
});

test.run();
