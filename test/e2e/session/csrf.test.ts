import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { Visitor } from '../../harness/cookie-client.js';
import { type Dev, dev } from '../../harness/fwk.js';
import { connect, type Sent } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { configFile, di, middleware, module, postRoute, route } from '../../harness/source.js';

const FORM = 'application/x-www-form-urlencoded';

/** A schema of one field, as a library implements it (Standard Schema). */
const STRICT = `{ '~standard': { version: 1, vendor: 'test', validate: (value) =>
  Object.keys(value).join() === 'a' ? { value } : { issues: [{ message: 'has ' + Object.keys(value) }] } } }`;

/** A page of somebody else, with a form that posts to the server under test. */
const foreign = createServer(({ url = '' }, res) => {
  const action = new URL(url, 'http://localhost').searchParams.get('to') ?? '';
  res.setHeader('content-type', 'text/html');
  res.end(`<form method="post" action="${action}"><input name="a" value="b"><button>send</button></form>`);
}).listen(0);
await once(foreign, 'listening');
const { port } = foreign.address() as AddressInfo;

const made = project({
  'fwk.config.ts': configFile(`{
       csrf: { origins: ['http://friend.example', 'http://127.0.0.1:${port}'], paths: { '/api/hooks': false } },
       http: { trustProxy: true },
     }`),
  'di/user.ts': di('session', `() => ({ name: '' })`),
  'web/form.get.ts': module(
    'get, csrfField, csrfToken',
    `export default get((req, res) => {
       res.type('html');
       if (csrfToken(req) === csrfToken(req)) throw new Error('the token is not masked');
       return '<form method="post" action="/save">' + csrfField(req) + '<button>send</button></form>';
     });`,
  ),
  'web/view.get.ts': route('get, view', `() => view('form', { name: 'Ann' })`),
  'views/form.eta':
    '<form method="post" action="/save"><%~ it.csrfField %><button><%= it.name %></button></form>',
  'web/login.post.ts': module(
    'post, renewSession, csrfField',
    `export default post((req, res, ctx) => {
       renewSession(req);
       ctx.user.name = 'ann';
       return res.type('html') && csrfField(req);
     });`,
  ),
  'web/save.post.ts': postRoute(
    `(req, res, ctx) => res.type('text') && ctx.user.name + Object.keys(req.body ?? {})`,
  ),
  'web/strict.post.ts': postRoute(
    `{ body: ${STRICT} }, (req, res) => res.type('text').send(JSON.stringify(req.body))`,
  ),
  'web/any.ts': route('all', '() => 1'),
  'web/open.post.ts': `${route('post', '() => 1').replace(/;\n$/, '')}.meta({ csrf: false });\n`,
  'web/stream.post.ts': `${route('post', '() => 1').replace(/;\n$/, '')}.meta({ body: 'stream' });\n`,
  'web/_middleware.ts': middleware(`(req, res, ctx, next) => { res.header('x-ran', '1'); return next(); }`),
  'api/hooks/in.post.ts': route('post', '() => 1'),
  'ws/echo.ts': route('ws', '() => {}'),
});

const test = suite('csrf');
let server: Dev;
let chromium: Browser | undefined;
test.before(async () => {
  [server, chromium] = await Promise.all([dev(made), hasBrowser ? browser() : undefined]);
});
test.after(async () => {
  foreign.closeAllConnections();
  await Promise.all([server.stop(), chromium?.close(), new Promise((done) => foreign.close(done))]);
});

const tokenIn = (text: string): string => /value="([\w-]{86})"/.exec(text)?.[1] ?? 'no token';

/** A logged-in visitor with the token of the next page. */
async function ann(): Promise<{ visitor: Visitor; token: string }> {
  const visitor = new Visitor(server.url);
  const { text } = await visitor.visit('/login', { method: 'POST' });
  assert.ok(visitor.cookie);
  return { visitor, token: tokenIn(text) };
}

const status = async (visitor: Visitor, path: string, headers: Sent['headers'], body = 'a=b') =>
  (await visitor.visit(path, { method: 'POST', headers: { 'content-type': FORM, ...headers }, body })).status;

const foreigners: Readonly<Record<string, Record<string, string>>> = {
  'of another site': { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' },
  'of the same site': { 'sec-fetch-site': 'same-site' },
  'with an invalid Sec-Fetch-Site': { 'sec-fetch-site': 'same-origin, cross-site' },
  'of another origin, from an old browser': { origin: 'http://evil.example' },
  'of another port': { origin: 'http://localhost:1' },
  'of another referring page': { referer: 'http://evil.example/page' },
  'with an invalid Origin': { origin: 'evil' },
};
const own: Readonly<Record<string, Record<string, string>>> = {
  'of this origin': { 'sec-fetch-site': 'same-origin', origin: 'null' },
  'of the address bar': { 'sec-fetch-site': 'none' },
  'of a trusted origin': { 'sec-fetch-site': 'cross-site', origin: 'http://friend.example' },
  'referred by a trusted origin': { referer: 'http://friend.example/page' },
  'of the forwarded host': {
    origin: 'https://shop.example',
    'x-forwarded-host': 'shop.example',
  },
};

test('rejects requests of foreign pages and accepts those of own pages', async () => {
  const { visitor, token } = await ann();
  for (const [name, headers] of Object.entries(foreigners)) {
    assert.is(await status(visitor, '/save', { ...headers, 'x-csrf-token': token }), 403, name);
    assert.is(await status(visitor, '/save', { ...headers, 'content-type': 'application/json' }, '{}'), 403);
    assert.is(await status(visitor, '/any', headers), 403, name);
    // Logging a visitor in as somebody else takes no cookie.
    assert.is(await status(new Visitor(server.url), '/login', headers), 403, name);
    for (const path of ['/open', '/api/hooks/in']) assert.is(await status(visitor, path, headers), 200);
    assert.is((await visitor.visit('/any', { headers })).status, 200, 'a GET changes nothing');
  }
  for (const [name, headers] of Object.entries(own))
    assert.is(await status(visitor, '/save', headers), 200, name);
  const { origin } = new URL(server.url);
  assert.is(await status(visitor, '/save', { origin }), 200);
  assert.is(await status(visitor, '/save', { referer: `${origin}/form` }), 200);
});

test('accepts cross-site requests without cookies that CORS allows', async () => {
  const anybody = new Visitor(server.url);
  const headers = { 'content-type': 'application/json', origin: 'http://evil.example' };
  for (const site of [{}, { 'sec-fetch-site': 'cross-site' }])
    assert.is(await status(anybody, '/save', { ...headers, ...site }, '{}'), 200);
  assert.is(await status(anybody, '/save', { ...headers, 'content-type': '' }), 403, 'a script can');
});

test('a browser form without Sec-Fetch-Site and Origin needs a token', async () => {
  const { visitor, token } = await ann();
  const { visitor: other, token: others } = await ann();
  const send = (fields: string, headers = {}) => status(visitor, '/save', headers, fields);
  assert.is(await send('a=b'), 403);
  assert.is(await send(`a=b&_csrf=${token}`), 200);
  assert.is(await send('a=b', { 'x-csrf-token': token }), 200);
  assert.is(await send('a=b', { origin: 'null', 'x-csrf-token': token }), 200);
  assert.is(await send('{}', { origin: 'null', 'content-type': 'application/json' }), 403);
  for (const path of ['/form', '/view']) {
    const page = tokenIn((await visitor.visit(path)).text);
    assert.is.not(page, token);
    assert.is(await send(`_csrf=${page}`), 200, path);
  }
  for (const bad of [others, '', 'x', `${token}A`, token.slice(1), 'A'.repeat(86), `${token}&_csrf=${token}`])
    assert.is(await send(`_csrf=${bad}`), 403, bad);
  assert.is(await status(other, '/stream', {}), 403);
  assert.is(await status(other, '/stream', { 'x-csrf-token': others }), 200);
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  const part = (value: string) =>
    `--x\r\ncontent-disposition: form-data; name="_csrf"\r\n\r\n${value}\r\n--x--\r\n`;
  assert.is(await send(part(token), multipart), 200);
  assert.is(await send(part(others), multipart), 403);
  assert.is(await send('a'.repeat(2_000_000), {}), 413, 'limits of bodies hold');
});

test('a schema does not see the token field', async () => {
  const { visitor, token } = await ann();
  const send = (headers: Sent['headers'], body: string) =>
    visitor.visit('/strict', { method: 'POST', headers: { 'content-type': FORM, ...headers }, body });
  const boundary = { 'content-type': 'multipart/form-data; boundary=x' };
  const part = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const [name, headers, body] of [
    ['an old browser', {}, `a=b&_csrf=${token}`],
    ['a browser', { 'sec-fetch-site': 'same-origin' }, `a=b&_csrf=${token}`],
    ['two fields', { 'sec-fetch-site': 'same-origin' }, `_csrf=1&a=b&_csrf=2`],
    ['multipart', boundary, `${part('a', 'b')}${part('_csrf', token)}--x--\r\n`],
  ] as const) {
    const { status, text } = await send(headers, body);
    assert.equal([status, text], [200, '{"a":"b"}'], name);
  }
  const json = await send({ 'content-type': 'application/json' }, '{"a":"b","_csrf":"x"}');
  assert.is(json.status, 422, 'no field of a form');
});

test('clients other than browsers send requests that no form can send, or have no session', async () => {
  const { visitor } = await ann();
  assert.is(await status(visitor, '/save', { 'content-type': 'application/json' }, '{}'), 200);
  const form = { method: 'POST', body: 'a=b', headers: { 'content-type': FORM } };
  assert.match((await visitor.visit('/save', form)).text, 'not a browser must send an Origin header with');
  assert.is(await status(visitor, '/save', { origin: new URL(server.url).origin }), 200);
  assert.is((await visitor.post('/save')).status, 200);
  for (const cookie of [undefined, 'session=old.forged'])
    assert.is(await status(new Visitor(server.url, cookie), '/save', {}), 200);
});

test('rejects a request before its body arrives', async () => {
  const connection = await connect(server.url);
  connection.send(
    `POST /save HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 100\r\n\r\n`,
  );
  assert.match(await connection.read(/\}$/), /^HTTP\/1.1 403 [\s\S]*"Pages of another origin/);
  connection.close();
});

test('rejects before middlewares run, also for unknown URLs', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', cookie: 'a=b' };
  for (const path of ['/save', '/nowhere', '/form']) {
    const answer = await new Visitor(server.url).visit(path, { method: 'POST', headers });
    assert.equal([answer.status, answer.headers['x-ran']], [403, undefined], path);
  }
  const answer = await new Visitor(server.url).visit('/api/nowhere', { method: 'POST', headers });
  assert.is(answer.status, 404, 'nothing runs there');
});

test('in development, a rejection suggests a fix', async () => {
  const headers = { origin: 'http://evil.example', cookie: 'a=b' };
  const { text } = await new Visitor(server.url).visit('/save', { method: 'POST', headers });
  assert.match(text, 'comes from http://evil.example. To allow it, add that origin to csrf.origins');
});

if (hasBrowser)
  test('in Chromium, forms of own and trusted pages are accepted, and others are rejected', async () => {
    const context = await chromium?.newContext();
    const tab = await context?.newPage();
    assert.ok(tab);
    const send = async (page: string): Promise<string> => {
      await tab.goto(page);
      await tab.click('button');
      await tab.waitForURL('**/save');
      return (await tab.textContent('body')) ?? '';
    };
    await tab.goto(new URL('/form', server.url).href);
    await tab.evaluate(() => fetch('/login', { method: 'POST' }));
    const save = new URL('/save', server.url).href;
    assert.is(await send(new URL('/form', server.url).href), 'ann');
    // The same site: a Lax cookie comes along.
    assert.match(await send(`http://localhost:${port}/?to=${save}`), /another origin/);
    assert.is(await send(`http://127.0.0.1:${port}/?to=${save}`), 'a', 'trusted, but the cookie is Lax');
  });

test.run();
