import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route, tells } from '../../harness/source.js';

// Where a file is and what wraps its handler say which URL and method it serves.

const header = (at: string) => `(req, res) => { res.header('x-at', '${at}'); }`;

const files: Files = {
  // One per wrapper, with its conventional name.
  'api/users.get.ts': tells('get', 'users.get'),
  'api/login.post.ts': tells('post', 'login.post'),
  'api/profile.put.ts': tells('put', 'profile.put'),
  'api/profile.patch.ts': tells('patch', 'profile.patch'),
  'api/session.del.ts': tells('del', 'session.del'),
  'api/asset.head.ts': route('head', header('asset.head')),
  'api/cors.options.ts': tells('options', 'cors.options'),
  'api/proxy.all.ts': tells('all', 'proxy.all'),
  // The same without a suffix.
  'api/bare/users.ts': tells('get', 'bare/users'),
  'api/bare/login.ts': tells('post', 'bare/login'),
  'api/bare/profile.ts': tells('put', 'bare/profile'),
  'api/bare/name.ts': tells('patch', 'bare/name'),
  'api/bare/session.ts': tells('del', 'bare/session'),
  'api/bare/asset.ts': route('head', header('bare/asset')),
  'api/bare/cors.ts': tells('options', 'bare/cors'),
  'api/bare/proxy.ts': tells('all', 'bare/proxy'),
  // Files.
  'api/v1/users.get.ts': tells('get', 'v1/users'),
  'api/v1/users/[id].get.ts': tells('get', 'v1/user'),
  'api/v1/users/[id]/books.get.ts': tells('get', 'v1/books'),
  'api/v1/users/[userId]/books/[bookId].get.ts': tells('get', 'v1/book'),
  'api/v1/login.post.ts': tells('post', 'v1/login'),
  // Directories with a method file.
  'api/v2/users/get.ts': tells('get', 'v2/users'),
  'api/v2/users/post.ts': tells('post', 'v2/users'),
  'api/v2/users/[id]/get.ts': tells('get', 'v2/user'),
  'api/v2/users/[id]/del.ts': tells('del', 'v2/user'),
  'api/v2/users/[id]/books/get.ts': tells('get', 'v2/books'),
  'api/v2/users/[userId]/books/[bookId]/get.ts': tells('get', 'v2/book'),
  // Both in one directory.
  'api/v3/users.get.ts': tells('get', 'v3/users as a file'),
  'api/v3/users/post.ts': tells('post', 'v3/users as a directory'),
  'api/v3/users/[id].get.ts': tells('get', 'v3/user as a file'),
  'api/v3/users/[id]/put.ts': tells('put', 'v3/user as a directory'),
  // Literals that sort before and after a bracket.
  'api/order/0.get.ts': tells('get', 'order/0'),
  'api/order/Zed.get.ts': tells('get', 'order/Zed'),
  'api/order/[id].get.ts': tells('get', 'order/[id]'),
  'api/order/_.get.ts': 'throw new Error("a name that begins with _ is never read");',
  'api/order/me.get.ts': tells('get', 'order/me'),
  'api/order/[id]/last.get.ts': tells('get', 'order/[id]/last'),
  'api/order/me/[what].get.ts': tells('get', 'order/me/[what]'),
  // Pages.
  'web/get.ts': tells('get', 'home'),
  'web/about.get.ts': tells('get', 'about'),
  'web/blog/[slug].get.ts': tells('get', 'blog'),
  'web/blog/new.ts': tells('get', 'blog/new'),
  'web/contact.post.ts': tells('post', 'contact'),
  'web/shop/[id]/del.ts': tells('del', 'shop'),
  'web/hook.all.ts': tells('all', 'hook'),
};

type Row = readonly [method: string, path: string, at: string, params?: Readonly<Record<string, string>>];

const rows: readonly Row[] = [
  ['GET', '/api/users', 'users.get'],
  ['POST', '/api/login', 'login.post'],
  ['PUT', '/api/profile', 'profile.put'],
  ['PATCH', '/api/profile', 'profile.patch'],
  ['DELETE', '/api/session', 'session.del'],
  ['OPTIONS', '/api/cors', 'cors.options'],
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map(
    (method): Row => [method, '/api/proxy', 'proxy.all'],
  ),
  ['GET', '/api/bare/users', 'bare/users'],
  ['POST', '/api/bare/login', 'bare/login'],
  ['PUT', '/api/bare/profile', 'bare/profile'],
  ['PATCH', '/api/bare/name', 'bare/name'],
  ['DELETE', '/api/bare/session', 'bare/session'],
  ['OPTIONS', '/api/bare/cors', 'bare/cors'],
  ['PATCH', '/api/bare/proxy', 'bare/proxy'],

  ['GET', '/api/v1/users', 'v1/users'],
  ['GET', '/api/v1/users/7', 'v1/user', { id: '7' }],
  ['GET', '/api/v1/users/7/books', 'v1/books', { id: '7' }],
  ['GET', '/api/v1/users/7/books/8', 'v1/book', { userId: '7', bookId: '8' }],
  ['POST', '/api/v1/login', 'v1/login'],

  ['GET', '/api/v2/users', 'v2/users'],
  ['POST', '/api/v2/users', 'v2/users'],
  ['GET', '/api/v2/users/7', 'v2/user', { id: '7' }],
  ['DELETE', '/api/v2/users/7', 'v2/user', { id: '7' }],
  ['GET', '/api/v2/users/7/books', 'v2/books', { id: '7' }],
  ['GET', '/api/v2/users/7/books/8', 'v2/book', { userId: '7', bookId: '8' }],

  ['GET', '/api/v3/users', 'v3/users as a file'],
  ['POST', '/api/v3/users', 'v3/users as a directory'],
  ['GET', '/api/v3/users/7', 'v3/user as a file', { id: '7' }],
  ['PUT', '/api/v3/users/7', 'v3/user as a directory', { id: '7' }],

  ['GET', '/api/order/0', 'order/0'],
  ['GET', '/api/order/Zed', 'order/Zed'],
  ['GET', '/api/order/me', 'order/me'],
  ['GET', '/api/order/1', 'order/[id]', { id: '1' }],
  ['GET', '/api/order/zed', 'order/[id]', { id: 'zed' }],
  ['GET', '/api/order/mean', 'order/[id]', { id: 'mean' }],
  ['GET', '/api/order/_', 'order/[id]', { id: '_' }],
  ['GET', '/api/order/you/last', 'order/[id]/last', { id: 'you' }],
  ['GET', '/api/order/me/last', 'order/me/[what]', { what: 'last' }],

  ['GET', '/', 'home'],
  ['GET', '/about', 'about'],
  ['GET', '/blog/first-post', 'blog', { slug: 'first-post' }],
  ['GET', '/blog/new', 'blog/new'],
  ['POST', '/contact', 'contact'],
  ['DELETE', '/shop/3', 'shop', { id: '3' }],
  ['PUT', '/hook', 'hook'],
];

served(files, (test, site) => {
  for (const [method, path, at, params = {}] of rows) {
    test(`${method} ${path}`, async () => {
      const response = await site.fetch(path, { method });
      assert.is(response.status, 200);
      assert.equal(await response.json(), { at, method, params });
    });
  }

  for (const [path, at] of [
    ['/api/asset', 'asset.head'],
    ['/api/bare/asset', 'bare/asset'],
  ] as const) {
    test(`HEAD ${path}`, async () => {
      const response = await site.fetch(path, { method: 'HEAD' });
      assert.is(response.status, 204);
      assert.is(response.headers.get('x-at'), at);
    });
  }

  test('all answers HEAD without a body', async () => {
    const response = await site.fetch('/api/proxy', { method: 'HEAD' });
    assert.is(response.status, 200);
    assert.is(await response.text(), '');
  });

  test('api is mounted under /api only, web at the root only', async () => {
    for (const path of ['/users', '/v1/users', '/web', '/web/about', '/api/about', '/api', '/api/web']) {
      assert.is((await site.fetch(path)).status, 404, path);
    }
  });

  test('a suffix is no part of the URL', async () => {
    for (const path of ['/api/users.get', '/about.get', '/get', '/about.ts']) {
      assert.is((await site.fetch(path)).status, 404, path);
    }
  });
});
