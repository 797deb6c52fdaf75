import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { type Ask, build, createApp, production, TSCONFIG } from '../../harness/settings.js';
import { configFile, di, module, route } from '../../harness/source.js';

process.env.SESSION_SECRET = 'a secret of at least 32 characters';

const SHOP = 'https://shop.example';
const LIST = `() => Array(200).fill({ title: 'A title' })`;
const made = project({
  'tsconfig.json': TSCONFIG,
  'fwk.config.ts': configFile(
    `{ cors: { origin: '${SHOP}', credentials: true }, securityHeaders: true, compression: true }`,
  ),
  'main.ts': module(
    'bootstrap',
    `const urls = await bootstrap({ workers: Number(process.env.WORKERS ?? 1) });\nconsole.log('listening on', urls.join());`,
  ),
  'di/user.ts': di('session', `() => ({ name: '' })`),
  'api/list.get.ts': route('get', LIST),
  'api/open.ts': module(
    'all',
    `export default all(${LIST}).meta({ cors: { origin: '*', credentials: false }, securityHeaders: false, compression: false, csrf: false });`,
  ),
  'web/save.post.ts': route('post', '(req) => ({ ...(req.body as object) })'),
  'web/cookies.get.ts': route('get', `(req, res) => res.cookie('a', '1').cookie('b', '2').end()`),
  'web/page.get.ts': route('get, view', `() => view('page')`),
  'views/page.eta': `<script nonce="<%= it.nonce %>"></script><%~ it.csrfField %>${'text '.repeat(500)}`,
  'public/app.css': 'a { color: red }\n'.repeat(200),
});

/** The parts of a response that these plugins decide. */
const seen = ({ status, headers }: Response) => ({
  status,
  origin: headers.get('access-control-allow-origin'),
  vary: headers.get('vary')?.split(/, */).sort().join() ?? null,
  coding: headers.get('content-encoding'),
  policy: headers.get('content-security-policy')?.split(';', 1)[0],
  nosniff: headers.get('x-content-type-options'),
});
const DATA = { policy: "default-src 'none'", nosniff: 'nosniff' };
const PAGE = { policy: "default-src 'self'", nosniff: 'nosniff' };

async function drive(ask: Ask): Promise<void> {
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(path, { headers: { 'accept-encoding': 'gzip', ...headers } });
  // Each is the first request of a route that is loaded on demand.
  const list = await get('/api/list', { origin: SHOP });
  assert.is(((await list.json()) as unknown[]).length, 200);
  assert.equal(seen(list), {
    status: 200,
    origin: SHOP,
    vary: 'Accept-Encoding,Origin',
    coding: 'gzip',
    ...DATA,
  });
  const open = await get('/api/open', { origin: SHOP });
  assert.equal(seen(open), {
    status: 200,
    origin: '*',
    vary: null,
    coding: null,
    policy: undefined,
    nosniff: null,
  });
  assert.is(
    (await get('/api/list', { origin: 'https://evil.example' })).headers.get('access-control-allow-origin'),
    null,
  );

  const asking = { origin: SHOP, 'access-control-request-method': 'POST' };
  const preflight = await ask('/save', { method: 'OPTIONS', headers: asking });
  const asked = 'Access-Control-Request-Headers,Access-Control-Request-Method,Origin';
  assert.equal(seen(preflight), { status: 204, origin: SHOP, vary: asked, coding: null, ...DATA });
  assert.is(preflight.headers.get('access-control-allow-credentials'), 'true');

  const post = (site: string, path = '/save') =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site, origin: SHOP },
      body: 'a=b&_csrf=x',
    });
  const refused = await post('cross-site');
  assert.equal(seen(refused), {
    status: 403,
    origin: SHOP,
    vary: 'Accept,Accept-Encoding,Origin',
    coding: null,
    ...DATA,
  });
  assert.equal(await (await post('same-origin')).json(), { a: 'b' });
  assert.is((await post('cross-site', '/api/open')).status, 200);

  const cookies = (await get('/cookies')).headers.getSetCookie();
  assert.equal(cookies, ['a=1; Path=/', 'b=2; Path=/']);

  const page = await get('/page');
  assert.equal(seen(page), {
    status: 200,
    origin: null,
    vary: 'Accept-Encoding,Cookie,Origin',
    coding: 'gzip',
    ...PAGE,
  });
  const [, nonce = ''] = /nonce="([^"]{24})"/.exec(await page.text()) ?? [];
  assert.match(page.headers.get('content-security-policy') ?? '', `'nonce-${nonce}'`);
  const style = await get('/app.css', { origin: SHOP });
  assert.equal(seen(style), {
    status: 200,
    origin: SHOP,
    vary: 'Accept-Encoding,Origin',
    coding: 'gzip',
    ...PAGE,
  });
}

const at =
  (url: string): Ask =>
  (path, init) =>
    fetch(url + path, { redirect: 'manual', ...init });

/** As fetch() over a connection gives it. */
const decoded = (answer: Response): Response =>
  answer.headers.get('content-encoding') === 'gzip' && answer.body
    ? new Response(answer.body.pipeThrough(new DecompressionStream('gzip')), answer)
    : answer;

const test = suite('guarded');
test.before(() => build(made).then(() => {}));

for (const [name, variables] of [
  ['one process', []],
  ['workers', ['WORKERS=2']],
] as const)
  test(name, async () => {
    const { child, output, end, url } = await production(made, 'dist/main.js', process.execPath, variables);
    try {
      await drive(at(url));
      const missing = await at(url)('/nowhere', { headers: { origin: SHOP } });
      assert.equal([missing.status, missing.headers.get('access-control-allow-origin')], [404, SHOP]);
    } finally {
      child.kill('SIGTERM');
    }
    assert.is((await end).status, 0, output.all);
  });

test('in Express, and by fetch()', async () => {
  const app = await createApp(made);
  const host = express().use(app.middleware);
  const server = createServer(host).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await drive(at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    await drive(async (path, init) => decoded(await app.fetch(new Request(`http://localhost${path}`, init))));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await app.close();
  }
});

test.run();
