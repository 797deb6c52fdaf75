import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { corsProject, EVIL, SHOP } from './cors-project.js';

const site = await production(corsProject);

const ask = (path: string, origin: string | undefined, sent: Sent = {}): Promise<Answer> =>
  site.raw(path, { ...sent, headers: { ...(origin === undefined ? {} : { origin }), ...sent.headers } });
const preflight = (
  path: string,
  origin: string,
  method = 'GET',
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(path, origin, { method: 'OPTIONS', headers: { 'access-control-request-method': method, ...headers } });
/** The CORS headers of a response: origin, credentials, Vary. */
const corsHeaders = ({ headers }: Answer) => [
  headers['access-control-allow-origin'],
  headers['access-control-allow-credentials'],
  headers.vary,
];

const test = suite('cors');
test.after(() => site.stop());

test('allows a page of a listed origin to read a response, and no other', async () => {
  const shop = await ask('/api/things', SHOP);
  assert.equal(corsHeaders(shop), [SHOP, 'true', 'Origin']);
  assert.is(shop.headers['access-control-expose-headers'], 'X-Total, X-Next');
  assert.is(shop.headers['access-control-allow-methods'], undefined);
  const evil = await ask('/api/things', EVIL);
  assert.is(evil.status, 200);
  assert.equal(corsHeaders(evil), [undefined, undefined, 'Origin']);
  assert.equal(corsHeaders(await ask('/api/things', undefined)), [undefined, undefined, 'Origin']);
});

test('compares origins as browsers serialize them', async () => {
  const allowed = [
    'https://a.shops.example',
    'https://a.b-c.shops.example',
    'http://localhost:1',
    'http://localhost',
    'http://localhost:65535',
    'capacitor://localhost',
  ];
  for (const origin of allowed) assert.is(corsHeaders(await ask('/api/things', origin))[0], origin, origin);
  const refused = [
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example:443',
    'https://SHOP.example',
    'https://shop.example/',
    'https://shop.example.evil.example',
    'https://evilshop.example',
    'https://shops.example',
    'https://.shops.example',
    'https://evil.example/.shops.example',
    'https://evil.example#.shops.example',
    'https://evil.example@a.shops.example',
    'https://a.shops.example:8443',
    'http://a.shops.example',
    'http://localhost.evil.example:80',
    'http://localhost:80:80',
    'https://localhost:1',
    `${SHOP}, ${SHOP}`,
    `${SHOP} ${EVIL}`,
    '*',
    'null',
    '',
    'constructor',
  ];
  for (const origin of refused)
    assert.equal(corsHeaders(await ask('/api/things', origin)).slice(0, 2), [undefined, undefined], origin);
});

test('answers a preflight for the requested method before guards and bodies', async () => {
  const shop = await preflight('/api/things', SHOP, 'POST', {
    'access-control-request-headers': 'content-type,x-stop',
    'x-stop': '1',
  });
  assert.is(shop.status, 204);
  assert.is(shop.text, '');
  assert.equal(corsHeaders(shop), [
    SHOP,
    'true',
    'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  ]);
  assert.is(shop.headers['access-control-allow-methods'], 'GET, HEAD, PUT, PATCH, POST, DELETE');
  assert.is(shop.headers['access-control-allow-headers'], 'content-type,x-stop');
  assert.is(shop.headers['access-control-max-age'], '600');
  assert.is(shop.headers['access-control-expose-headers'], undefined);
  const evil = await preflight('/api/things', EVIL, 'POST');
  assert.is(evil.status, 403);
  assert.equal(corsHeaders(evil).slice(0, 2), [undefined, undefined]);
  assert.match(String(evil.headers.vary), /^Origin,/);
  assert.match(evil.text, /https:\/\/evil\.example.* may not send requests/);
});

test('uses the options of the requested route', async () => {
  const shared = await preflight('/api/admin/shared', SHOP);
  assert.equal([shared.status, corsHeaders(shared)[0]], [204, SHOP]);
  // Off there: the routes of the project answer.
  const users = await preflight('/api/admin/users', SHOP);
  assert.equal([users.status, corsHeaders(users)[0]], [200, undefined]);
  const own = await preflight('/api/own', SHOP);
  assert.equal([own.status, own.headers['x-own']], [204, undefined]);
  const options = await ask('/api/own', SHOP, { method: 'OPTIONS' });
  assert.equal([options.status, options.headers['x-own'], corsHeaders(options)[0]], [200, 'yes', SHOP]);
  const reflected = await preflight('/api/reflected', EVIL, 'PATCH');
  assert.equal(corsHeaders(reflected).slice(0, 2), [EVIL, undefined]);
  assert.is(reflected.headers['access-control-allow-methods'], 'GET, PATCH');
  assert.is(reflected.headers['access-control-allow-headers'], 'X-Key');
  assert.is(reflected.headers['access-control-max-age'], '0');
  assert.is((await preflight('/api/nowhere', SHOP, 'PUT')).status, 204);
  assert.is((await preflight('/data.json', SHOP)).status, 204);
});

test('echoes requested headers only if they are valid names', async () => {
  for (const names of ['x-a, x-b', 'X-A'])
    assert.is(
      (await preflight('/api/things', SHOP, 'GET', { 'access-control-request-headers': names })).headers[
        'access-control-allow-headers'
      ],
      names,
    );
  for (const names of ['x-a: 1', 'x\u00e9', '<x>', `x${'x'.repeat(8192)}`])
    assert.is(
      (await preflight('/api/things', SHOP, 'GET', { 'access-control-request-headers': names })).headers[
        'access-control-allow-headers'
      ],
      undefined,
    );
  for (const method of ['constructor', '__proto__', 'get', ''])
    assert.is((await preflight('/api/things', SHOP, method)).status, 204, method);
});

test('errors, rejections and files are readable, too', async () => {
  const cases: readonly (readonly [number, string, Sent?])[] = [
    [401, '/api/things', { headers: { 'x-stop': '1' } }],
    [404, '/api/nowhere'],
    [404, '/nowhere'],
    [400, '/api/%zz'],
    [405, '/api/things', { method: 'DELETE' }],
    [204, '/api/things', { method: 'OPTIONS' }],
    [413, '/api/small', { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }],
    [
      415,
      '/api/things',
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/html; charset=nonsense' } },
    ],
    [400, '/api/things', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
    [500, '/api/crash'],
    [200, '/api/stream'],
    [200, '/data.json'],
    [304, '/api/tagged', { headers: { 'if-none-match': '"1"' } }],
    [200, '/api/things', { method: 'HEAD' }],
  ];
  for (const [status, path, sent] of cases) {
    const what = `${sent?.method ?? 'GET'} ${path}`;
    const shop = await ask(path, SHOP, sent);
    assert.is(shop.status, status, `${what}: ${shop.text}`);
    assert.equal(corsHeaders(shop).slice(0, 2), [SHOP, 'true'], what);
    assert.match(String(shop.headers.vary), /\bOrigin\b/, what);
    assert.is(corsHeaders(await ask(path, EVIL, sent))[0], undefined, what);
  }
});

test('paths and routes have their own options, and sockets have none', async () => {
  assert.equal(corsHeaders(await ask('/api/public/all', EVIL)), ['*', undefined, undefined]);
  assert.equal(corsHeaders(await ask('/api/public/all', undefined)), ['*', undefined, undefined]);
  assert.equal(corsHeaders(await ask('/api/public/nowhere', EVIL)), ['*', undefined, undefined]);
  assert.equal(corsHeaders(await ask('/api/publicity', SHOP))[0], SHOP);
  assert.equal(corsHeaders(await ask('/api/public/none', SHOP)), [undefined, undefined, undefined]);
  assert.equal(corsHeaders(await ask('/api/admin/users', SHOP)), [undefined, undefined, undefined]);
  assert.equal(corsHeaders(await ask('/api/admin/nowhere', SHOP))[0], undefined);
  assert.equal(corsHeaders(await ask('/api/%61dmin/nowhere', SHOP))[0], undefined);
  assert.equal(corsHeaders(await ask('/open/data.json', 'null')).slice(0, 2), ['null', undefined]);
  assert.equal(corsHeaders(await ask('/open/data.json', SHOP))[0], undefined);
  assert.equal(corsHeaders(await ask('/ws/chat', SHOP))[0], undefined);
});

test('`true` reflects any origin except null, and a function decides', async () => {
  assert.equal(corsHeaders(await ask('/api/reflected', EVIL)), [EVIL, undefined, 'Origin']);
  for (const origin of ['null', 'nonsense', 'https://a b', `https://${'a'.repeat(400)}`])
    assert.equal(corsHeaders(await ask('/api/reflected', origin))[0], undefined, origin);
  assert.is((await ask('/api/reflected', EVIL)).headers['access-control-expose-headers'], undefined);
  assert.is(corsHeaders(await ask('/api/asked?evil.example', EVIL))[0], EVIL);
  assert.is(corsHeaders(await ask('/api/asked', EVIL))[0], undefined);
  assert.is(
    (await preflight('/api/asked?shop.example', SHOP, 'GET', { 'access-control-request-headers': 'x-a' }))
      .headers['access-control-allow-headers'],
    undefined,
  );
  for (const path of ['/api/throws', '/api/late']) assert.is((await ask(path, SHOP)).status, 500);
  await site.output.waitFor(/GET \/api\/throws failed before its route ran[^\n]*no list/);
  await site.output.waitFor(/cors.origin returned neither true nor false/);
});

test('headers of a handler take precedence, and Vary is extended', async () => {
  assert.equal(corsHeaders(await ask('/api/own', SHOP)), ['https://own.example', 'true', 'Origin, Accept']);
});

test.run();
