import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { MAIN, type Running, settings, TSCONFIG } from '../../harness/settings.js';
import { configFile, di, middleware, module, route, service } from '../../harness/source.js';

const SHOP = 'https://shop.example';

const files: Files = {
  'fwk.config.ts': configFile(
    `{ session: { secrets: '${'s'.repeat(32)}' }, cors: { origin: '${SHOP}', credentials: true }, securityHeaders: true, compression: true }`,
  ),
  'di/cart.ts': di('session', '() => []'),
  'api/list.get.ts': route(`() => Array(200).fill({ title: 'A title' })`),
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'services/counter.ts': service('() => ({ count: 0 })'),
  'di/visitor.ts': di('request', `(ctx, { req }) => ({ name: req?.header('x-name') ?? 'nobody' })`),
  'middlewares/1.trace.ts': middleware(
    `(req, res, ctx, next) => { res.header('X-Trace', req.route.label ?? 'none'); return next(); }`,
  ),
  'api/_middleware.ts': module(
    'middleware, error',
    `export default middleware((req, res, ctx, next) => {
       if (req.query.deny) throw error(403, { message: 'denied' });
       return next();
     });`,
  ),
  'api/users/[id].get.ts': route(
    '(req, res, ctx) => ({ id: req.params.id, page: req.query.page, visitor: ctx.visitor.name })',
  ),
  'api/users/me.get.ts': route('get', `() => ({ literal: true })`),
  'api/echo.post.ts': route('post', '(req) => ({ body: req.body })'),
  'api/nothing.post.ts': route('post', `(req, res) => { res.cookie('seen', '1', { httpOnly: true }); }`),
  'api/missing.get.ts': route('get', '() => null'),
  'api/bytes.get.ts': route('get', `() => Buffer.from([0, 255, 10])`),
  'api/stream.get.ts': route('get', `async function* () { yield 'a'; yield 'b'; }`),
  'api/web.get.ts': route('get', `() => new Response('made', { status: 201, headers: { 'x-own': 'yes' } })`),
  'api/away.get.ts': route('get', `(req, res) => res.redirect('/elsewhere')`),
  'api/fails.get.ts': route('get', `() => { throw new Error('on purpose'); }`),
  'api/signal.get.ts': route(
    `(req) => ({ url: req.url.pathname, ip: typeof req.ip, aborted: req.signal.aborted })`,
  ),
  'public/style.css': 'body {}',
  'public/api/nothing': 'a file',
  'web/get.ts': route('get', `(req, res) => res.type('html').send('<h1>Home</h1>')`),
};

const post = (
  body: unknown,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const made = project(files);

for (const [name, begin] of sampled(Object.entries(settings), 2)) {
  const test = suite(name);
  let running: Running;
  const ask = (path: string, init?: RequestInit) => running.ask(path, init);
  const json = async (path: string, init?: RequestInit) => (await ask(path, init)).json();

  test.before(async () => {
    running = await begin(made).catch((cause) => {
      // uvu drops errors of a before hook.
      console.error(cause);
      throw cause;
    });
  });
  test.after(() => running.stop());

  test('routes, parameters, queries and ctx', async () => {
    const headers = { 'x-name': 'Ada' };
    assert.equal(await json('/api/users/7?page=2&page=3', { headers }), {
      id: '7',
      page: '2',
      visitor: 'Ada',
    });
    assert.equal(await json('/api/users/a%2Fb'), { id: 'a/b', visitor: 'nobody' });
    assert.equal(await json('/api/users/me'), { literal: true });
    assert.equal(await json('/api/signal'), { url: '/api/signal', ip: 'string', aborted: false });
  });

  test('middlewares', async () => {
    const response = await ask('/api/users/me');
    assert.is(response.headers.get('x-trace'), 'GET /api/users/me');
    const denied = await ask('/api/users/me?deny=1');
    assert.is(denied.status, 403);
    assert.equal(await denied.json(), { message: 'denied' });
    assert.is(denied.headers.get('x-trace'), 'GET /api/users/me');
  });

  test('bodies', async () => {
    assert.equal(await json('/api/echo', post({ a: [1] })), { body: { a: [1] } });
    const form = post('a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(await json('/api/echo', form), { body: { a: '1', b: '2' } });
    assert.is((await ask('/api/echo', post('{'))).status, 400);
    assert.is((await ask('/api/echo', post(JSON.stringify('x'.repeat(1_100_000))))).status, 413);
  });

  test('results of handlers', async () => {
    const nothing = await ask('/api/nothing', { method: 'POST' });
    assert.is(nothing.status, 204);
    assert.is(nothing.headers.get('set-cookie'), 'seen=1; Path=/; HttpOnly');
    assert.is((await ask('/api/missing')).status, 404);
    assert.equal([...new Uint8Array(await (await ask('/api/bytes')).arrayBuffer())], [0, 255, 10]);
    assert.is(await (await ask('/api/stream')).text(), 'ab');
    const made = await ask('/api/web');
    assert.equal([made.status, made.headers.get('x-own'), await made.text()], [201, 'yes', 'made']);
    const away = await ask('/api/away');
    assert.equal([away.status, away.headers.get('location')], [302, '/elsewhere']);
    const home = await ask('/');
    assert.equal(
      [home.headers.get('content-type'), await home.text()],
      ['text/html; charset=utf-8', '<h1>Home</h1>'],
    );
  });

  test('methods', async () => {
    const head = await ask('/api/users/me', { method: 'HEAD' });
    assert.equal([head.status, head.headers.get('content-length'), await head.text()], [200, '16', '']);
    const options = await ask('/api/users/me', { method: 'OPTIONS' });
    assert.equal([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
    const wrong = await ask('/api/users/me', { method: 'PUT' });
    // The server around may have that method.
    const isInside = name === 'mounted in Express';
    assert.equal(
      [wrong.status, wrong.headers.get('allow')],
      isInside ? [404, null] : [405, 'GET, HEAD, OPTIONS'],
    );
  });

  test('an unexpected error is a 500 with details only in development', async () => {
    const failed = await ask('/api/fails');
    assert.is(failed.status, 500);
    assert.is((await failed.text()).includes('on purpose'), name === 'fwk dev');
  });

  test('CORS, CSRF protection, security headers and compression', async () => {
    const list = await ask('/api/list', { headers: { origin: SHOP, 'accept-encoding': 'gzip' } });
    const names = ['access-control-allow-origin', 'content-encoding', 'x-content-type-options'];
    assert.equal(
      names.map((header) => list.headers.get(header)),
      [SHOP, 'gzip', 'nosniff'],
    );
    const preflight = { origin: SHOP, 'access-control-request-method': 'POST' };
    const allowed = await ask('/api/echo', { method: 'OPTIONS', headers: preflight });
    assert.equal([allowed.status, allowed.headers.get('access-control-allow-credentials')], [204, 'true']);
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: SHOP };
    const forged = await ask('/api/echo', post('a=1', { ...form, 'sec-fetch-site': 'cross-site' }));
    assert.equal([forged.status, forged.headers.get('access-control-allow-origin')], [403, SHOP]);
  });

  test('serves files of public/ where no route matches', async () => {
    const file = await ask('/style.css');
    assert.equal(
      [file.status, file.headers.get('content-type'), await file.text()],
      [200, 'text/css; charset=utf-8', 'body {}'],
    );
    const part = await ask('/style.css', { headers: { range: 'bytes=0-3' } });
    assert.equal([part.status, await part.text()], [206, 'body']);
    const head = await ask('/style.css', { method: 'HEAD' });
    assert.equal([head.status, head.headers.get('content-length'), await head.text()], [200, '7', '']);
    assert.is(await (await ask('/api/nothing')).text(), 'a file');
    const isInside = name === 'mounted in Express';
    for (const [path, init, status] of [
      ['/style.cs', {}, 404],
      ['/../main.ts', {}, 404],
      ['/%2e%2e/main.ts', {}, 404],
      ['/style.css', post({}), isInside ? 404 : 405],
    ] as const) {
      const other = await ask(path, init);
      assert.is(other.status, status, path);
      const body = (await other.json()) as { from?: string };
      assert.is(body.from, isInside ? 'Express' : undefined, path);
    }
  });

  test('an unknown URL is a 404 or goes to the host server', async () => {
    const response = await ask('/nowhere');
    assert.is(response.status, 404);
    const body = (await response.json()) as { from?: string };
    assert.is(body.from, name === 'mounted in Express' ? 'Express' : undefined);
  });

  test.run();
}
