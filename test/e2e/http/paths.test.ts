import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route, tells } from '../../harness/source.js';

/** Each wrapper and the method that it serves. */
const METHODS = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  del: 'DELETE',
  options: 'OPTIONS',
  all: 'PROPFIND',
};
const wrappers = Object.entries(METHODS);

const never = 'throw new Error("this file is no convention and must not be read");';

const files: Files = {
  // Each wrapper in a file with its suffix, without a suffix, and in a file that only has the name of the method.
  ...Object.fromEntries(
    wrappers.flatMap(([wrapper]) => [
      [`api/suffix/${wrapper}-route.${wrapper}.ts`, tells(wrapper, `suffix ${wrapper}`)],
      [`web/plain/${wrapper}-route.ts`, tells(wrapper, `plain ${wrapper}`)],
      [`api/directory/${wrapper}-route/${wrapper}.ts`, tells(wrapper, `directory ${wrapper}`)],
    ]),
  ),
  'api/asset.head.ts': route('head', `(req, res) => { res.header('x-at', 'asset'); }`),
  // A file and a directory with the same name.
  'api/both/[id].get.ts': tells('get', 'both as a file'),
  'api/both/[id]/put.ts': tells('put', 'both as a directory'),
  'api/item.delete.ts': tells('del', 'item'),
  'api/shop/index.get.ts': tells('get', 'shop'),
  'api/shop/index.post.ts': tells('post', 'shop'),
  'web/index.ts': tells('get', 'home'),
  'web/sitemap.xml.get.ts': tells('get', 'sitemap'),
  'api/v1.2/status.get.ts': tells('get', 'status'),
  'api/module.get.mts': tells('get', 'module'),
  'public/folder/page.html': '<p>page',
  // As docs/operate/security.md has it.
  'web/leave.get.ts': `import { get } from 'fwkit';
export default get(({ query, url }, res) => {
  const wanted = query.next ?? '/';
  const to = URL.canParse(wanted, url.origin) ? new URL(wanted, url.origin) : url;
  res.redirect(to.origin === url.origin ? to.href : '/');
});`,
  'web/docs/[...rest].get.ts': tells('get', 'docs'),
  'web/docs/[page].get.ts': tells('get', 'page'),
  'web/docs/api/get.ts': tells('get', 'docs of the api'),
  'api/(staff)/stats.get.ts': tells('get', 'stats'),
  'api/(staff)/(deep)/more/[id].get.ts': tells('get', 'more'),

  'api/users/me.get.ts': tells('get', 'me'),
  'api/users/[id].get.ts': tells('get', 'user'),
  'api/users/[id].post.ts': tells('post', 'user'),
  'api/users/[userId]/books.get.ts': tells('get', 'books'),
  'api/deep/a/b/c.get.ts': tells('get', 'a/b/c'),
  'api/deep/a/[y]/d.get.ts': tells('get', 'a/[y]/d'),
  'api/deep/[x]/b/e.get.ts': tells('get', '[x]/b/e'),
  'api/deep/[...rest].get.ts': tells('get', 'deep rest'),

  'api/mixed.all.ts': tells('all', 'mixed for all'),
  'api/mixed.get.ts': tells('get', 'mixed for GET'),
  'api/plain.get.ts': tells('get', 'plain'),
  'api/echo/[id].get.ts': tells('get', 'echo'),
  'api/admin/plain.get.ts': tells('get', 'admin'),

  'api/_helper.ts': never,
  'api/users/_.get.ts': never,
  'api/.hidden.get.ts': never,
  'api/plain.test.ts': never,
  'api/plain.get.test.ts': never,
  'api/plain.spec.ts': never,
  'api/plain.bench.ts': never,
  'api/plain.d.ts': 'export declare const never: string;',
  'api/_private/x.get.ts': never,
  'api/.private/x.get.ts': never,
  'api/__tests__/x.get.ts': never,
  'api/node_modules/x.get.ts': never,
};

const found: readonly (readonly [string, string, Readonly<Record<string, string>>?, string?])[] = [
  ...wrappers.flatMap(([wrapper, method]) => [
    [`/api/suffix/${wrapper}-route`, `suffix ${wrapper}`, {}, method] as const,
    [`/plain/${wrapper}-route`, `plain ${wrapper}`, {}, method] as const,
    [`/api/directory/${wrapper}-route`, `directory ${wrapper}`, {}, method] as const,
  ]),
  ['/api/both/7', 'both as a file', { id: '7' }],
  ['/api/both/7', 'both as a directory', { id: '7' }, 'PUT'],
  // A file whose name begins with _ is not a route and hides none.
  ['/api/users/_', 'user', { id: '_' }],
  ['/api/item', 'item', {}, 'DELETE'],
  ['/api/shop', 'shop'],
  ['/api/shop', 'shop', {}, 'POST'],
  ['/', 'home'],
  ['/sitemap.xml', 'sitemap'],
  ['/api/v1.2/status', 'status'],
  ['/api/module', 'module'],
  // Literal, then parameter, then the rest.
  ['/docs/api', 'docs of the api'],
  ['/docs/one', 'page', { page: 'one' }],
  ['/docs/one/two', 'docs', { rest: 'one/two' }],
  ['/docs/api/x', 'docs', { rest: 'api/x' }],
  ['/docs/a%20b/c%2Fd', 'docs', { rest: 'a b/c/d' }],
  ['/api/stats', 'stats'],
  ['/api/more/1', 'more', { id: '1' }],
  // Parameter names belong to the route; a dead end is left again.
  ['/api/users/me', 'me'],
  ['/api/users/me', 'user', { id: 'me' }, 'POST'],
  ['/api/users/7', 'user', { id: '7' }],
  ['/api/users/7/books', 'books', { userId: '7' }],
  ['/api/users/me/books', 'books', { userId: 'me' }],
  ['/api/deep/a/b/c', 'a/b/c'],
  ['/api/deep/a/b/d', 'a/[y]/d', { y: 'b' }],
  ['/api/deep/a/b/e', '[x]/b/e', { x: 'a' }],
  ['/api/deep/a/b/f', 'deep rest', { rest: 'a/b/f' }],
  ['/api/deep/a', 'deep rest', { rest: 'a' }],
  // The exact method beats all.
  ['/api/mixed', 'mixed for GET'],
  ['/api/mixed', 'mixed for all', {}, 'POST'],
  ['/api/mixed', 'mixed for all', {}, 'OPTIONS'],
  // Encodings.
  ['/api/%70lain', 'plain'],
  ['/api/echo/%C3%A9', 'echo', { id: 'é' }],
  ['/api/echo/a%2Fb', 'echo', { id: 'a/b' }],
  ['/api/echo/a%20b+c', 'echo', { id: 'a b+c' }],
  ['/api/echo/%252F', 'echo', { id: '%2F' }],
  ['/api/echo/:id', 'echo', { id: ':id' }],
  ['/api/echo/__proto__', 'echo', { id: '__proto__' }],
  // A trailing slash and the query make no difference.
  ['/api/plain/', 'plain'],
  ['/api/users/7/', 'user', { id: '7' }],
  ['/docs/one/two/', 'docs', { rest: 'one/two' }],
  ['/api/plain?a=/../b//c', 'plain'],
  ['/?x', 'home'],
];

const missing = [
  ...['/api/staff/stats', '/api/(staff)/stats', '/docs', '/docs/', '/api/deep', '/api/shop/index', '/index'],
  ...[
    '/api/_helper',
    '/api/.hidden',
    '/api/plain.test',
    '/api/plain.spec',
    '/api/plain.d',
    '/api/plain.bench',
  ],
  ...[
    '/api/_private/x',
    '/api/.private/x',
    '/api/__tests__/x',
    '/api/node_modules/x',
    '/api/echo',
    '/api/echo/',
  ],
  ...[
    '/shop',
    '/api/docs/api',
    '/web/docs/api',
    '/api',
    '/api/web',
    '/api/item.delete',
    '/get',
    '/api/item.ts',
  ],
  ...['/api/__proto__', '/__proto__', '/constructor', '/api/users/7/books/8', '/api/echo/a/b'],
];

served(files, (test, site) => {
  for (const [path, at, params = {}, method = 'GET'] of found) {
    test(`${method} ${path}`, async () => {
      const answer = await site.raw(path, { method });
      assert.is(answer.status, 200);
      assert.equal(answer.json, { at, method, params });
    });
  }

  test('HEAD has its own wrapper, and all() answers HEAD without a body', async () => {
    const own = await site.raw('/api/asset', { method: 'HEAD' });
    assert.equal([own.status, own.headers['x-at']], [204, 'asset']);
    const all = await site.raw('/api/suffix/all-route', { method: 'HEAD' });
    assert.equal([all.status, all.text], [200, '']);
  });

  test('an unknown path is 404', async () => {
    for (const path of missing) assert.is((await site.raw(path)).status, 404, path);
  });

  test('an invalid percent-encoding is 400', async () => {
    for (const path of ['/api/echo/%zz', '/api/echo/%', '/api/echo/%E0%A4%A', '/api/echo/%ff', '/api/%zz']) {
      assert.is((await site.raw(path)).status, 400, path);
    }
  });

  test('slashes and dots never lead to another route', async () => {
    const paths = ['/api//plain', '//api/plain', '//evil.example/api/plain', '/api/./plain', '/./api/plain'];
    const climbing = ['/api/admin/../plain', '/../api/plain', '/api/echo/../plain', '/api/x/../../api/plain'];
    const encoded = ['/api/%2e/plain', '/api/admin/%2e%2e/plain', '/api%2Fplain', '/api/admin%2F..%2Fplain'];
    const odd = [
      '/api\\plain',
      '/api/plain//',
      '/api/echo//',
      '/api/plain;x',
      '/docs//',
      '/API/plain',
      '/api%00/plain',
      '/api/users//books',
    ];
    for (const path of [...paths, ...climbing, ...encoded, ...odd]) {
      const { status, text } = await site.raw(path);
      assert.ok(status === 404 || status === 400, `${path}: ${status} ${text}`);
    }
  });

  test('no request causes an automatic redirect', async () => {
    const folders = ['/folder', '//folder', '/folder/', '/docs', '/docs/', '/api/shop/'];
    const elsewhere = [
      'evil.example',
      '/evil.example',
      '/\\evil.example',
      '/%5Cevil.example',
      '%2F/evil.example',
    ];
    const climbing = [
      '/evil.example/..',
      '/evil.example/%2e%2e',
      '/evil.example//',
      '/evil.example/folder/..',
    ];
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-original-url': '//evil.example',
      referer: 'http://x/',
    };
    for (const path of [...folders, ...[...elsewhere, ...climbing].map((path) => `/${path}`)])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const answer = await site.raw(path, { method, headers });
        assert.is(answer.headers.location, undefined, `${method} ${path}: ${answer.status}`);
      }
  });

  test('a redirect to a URL of the client stays within the origin', async () => {
    const to = async (next: string) => {
      const { status, headers } = await site.raw(`/leave?next=${encodeURIComponent(next)}`);
      assert.is(status, 302);
      return new URL(String(headers.location), site.dev.url);
    };
    assert.is((await to('/docs/a?b=c')).href, `${site.dev.url}/docs/a?b=c`);
    const evil = [
      '//evil.example',
      'https://evil.example/',
      '/\\evil.example',
      '/.//evil.example',
      '\t//evil.example',
    ];
    for (const next of [...evil, '/\n/evil.example', 'javascript:alert(1)', 'http://[', '///evil.example'])
      assert.is((await to(next)).origin, new URL(site.dev.url).origin, next);
  });

  test('answers OPTIONS *', async () => {
    const { status } = await site.raw('*', { method: 'OPTIONS' });
    assert.ok(status < 500, String(status));
    assert.is((await site.raw('/api/plain')).status, 200);
  });
});
