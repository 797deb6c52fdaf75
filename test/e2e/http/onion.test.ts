import * as assert from 'uvu/assert';
import type { Sent } from '../../harness/http.js';
import { everywhere } from './onion-project.js';

const guarded = { 'x-guard': '1' };
const json = { 'content-type': 'application/json' };
const shop = 'https://shop.example';

everywhere((test, site) => {
  const answers: readonly (readonly [string, string, number, string?, Sent['headers']?])[] = [
    ['GET', '/api/log', 200],
    ['GET', '/api/nowhere', 404],
    ['POST', '/nowhere', 404],
    ['GET', '/%zz', 400],
    ['GET', '/api/%zz', 400],
    ['GET', '//api/log', 404],
    ['PUT', '/api/echo', 405],
    ['OPTIONS', '/api/echo', 204],
    ['OPTIONS', '/api/nowhere', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/late', 404],
    ['GET', '/api/teapot', 418],
    ['POST', '/api/echo', 400, '{"a'],
    ['POST', '/api/small', 413, '{"a":"0123456789"}'],
    ['POST', '/api/echo', 415, 'a', { 'content-encoding': 'unknown' }],
    ['POST', '/api/echo', 415, 'a', { 'content-type': 'text/plain; charset=klingon' }],
    ['GET', '/ws/nowhere', 404],
    ['GET', '/ws/room', 426],
    ['DELETE', '/ws/room', 405],
  ];
  for (const [method, path, status, body = '', headers = {}] of answers) {
    test(`${method} ${path} is ${status} for every layer`, async () => {
      await site.raw('/api/log');
      const sent = { method, body, headers: { ...(body === '' ? {} : json), ...headers } };
      const plain = await site.raw(path, sent);
      assert.is(plain.status, status);
      assert.is(plain.headers['access-control-allow-origin'], shop);
      if (path === '/api/log') return;
      const [, ...seen] = (await site.raw('/api/log')).json as unknown[][];
      assert.equal(
        seen.slice(0, 1).map((one) => one.slice(0, 3)),
        [[method, path, status === 204 ? 'done' : status]],
      );
      if (status < 400) return;
      const own = await site.raw(path, { ...sent, headers: { ...sent.headers, 'x-form': 'own' } });
      assert.is(own.status, status);
      const { code, message } = own.json as { code: number; message: unknown };
      assert.equal([code, typeof message], [status, 'string']);
      for (const { headers: sent } of [plain, own]) {
        if (status === 405) assert.match(String(sent.allow), /OPTIONS/);
        if (status === 426) assert.is(sent.upgrade, 'websocket');
      }
    });
  }

  test('answers a preflight for every URL', async () => {
    for (const path of ['/api/echo', '/api/nowhere', '/nowhere', '/style.css', '/ws/room']) {
      const answer = await site.raw(path, {
        method: 'OPTIONS',
        headers: { origin: shop, 'access-control-request-method': 'PUT' },
      });
      assert.equal([answer.status, answer.headers['access-control-allow-origin']], [204, shop], path);
    }
  });

  test('middlewares do not run for files of public/', async () => {
    const file = await site.raw('/style.css', { headers: guarded });
    assert.equal([file.status, file.headers['access-control-allow-origin']], [200, undefined]);
  });

  test('req.route describes a request without a route', async () => {
    await site.raw('/api/log');
    await site.raw('/api/nowhere');
    await site.raw('/api/teapot');
    const [, none, found] = (await site.raw('/api/log')).json as unknown[][];
    assert.equal(none?.slice(3), ['none', null, null, {}]);
    assert.equal(found?.slice(3, 5), ['api', '/api/teapot']);
  });

  test('a guard of a literal directory hides which routes exist below it', async () => {
    const seen = async (path: string, sent: Sent = {}) => {
      const { status, headers } = await site.raw(path, sent);
      return [status, headers['x-admin'] !== undefined, headers['x-staff'] !== undefined];
    };
    const open = { headers: { 'x-key': 'open' } };
    for (const path of [
      '/api/admin/nowhere',
      '/api/admin',
      '/api/%61dmin/nowhere',
      '/api/admin/a/b/c',
      '/api/admin/',
    ])
      assert.equal(await seen(path), [403, true, false], path);
    assert.equal(await seen('/api/admin/no/where', open), [404, true, true]);
    // Middlewares of a directory run inside the middlewares of its parents, regardless of groups.
    assert.equal(await seen('/api/admin/deep/nowhere', open), [404, true, true]);
    assert.equal(await seen('/api/admin/%zz'), [403, true, false]);
    assert.equal(await seen('/api/administrators'), [404, false, false]);
    assert.equal(await seen('/api/admin/here', { method: 'DELETE' }), [403, true, false]);
    assert.equal(await seen('/api/admin/here', { method: 'DELETE', ...open }), [405, true, false]);
    assert.equal(await seen('/api/admin/here', { method: 'OPTIONS', ...open }), [204, true, false]);
    // For a URL in two directories, only the middlewares of both.
    assert.equal(await seen('/api/admin/desk', { method: 'POST' }), [405, false, false]);
  });

  test('for a 405, the middlewares around every route of the URL run', async () => {
    const of = async (path: string, method: string) => {
      const { status, headers } = await site.raw(path, { method });
      return [status, headers['x-book']];
    };
    assert.equal(await of('/api/books/7/pages', 'DELETE'), [405, '7']);
    assert.equal(await of('/api/books/7/nowhere', 'GET'), [404, undefined]);
    assert.equal(await of('/api/books/new', 'DELETE'), [405, undefined]);
  });

  test('an unknown URL below several mounts belongs to the longest one', async () => {
    const isWeb = async (path: string) => (await site.raw(path)).headers['x-web'] === 'yes';
    assert.equal(
      await Promise.all(['/nowhere', '/', '/apis', '/api', '/api/nowhere', '/ws/nowhere'].map(isWeb)),
      [true, true, true, false, false, false],
    );
  });

  test('an API answers in one format, and pages answer browsers', async () => {
    const accept = { accept: 'text/html' };
    const type = async (path: string, sent: Sent = {}) => {
      const answer = await site.raw(path, { ...sent, headers: { ...accept, ...sent.headers } });
      return String(answer.headers['content-type']).split(';')[0];
    };
    const page = 'text/html';
    const problem = site.isDev ? page : 'application/problem+json';
    assert.is(await type('/api/teapot'), site.isDev ? page : 'application/json');
    assert.is(await type('/api/nowhere'), problem);
    assert.is(await type('/api/nothing'), problem);
    assert.is(await type('/api/echo', { method: 'PUT' }), problem);
    assert.is(await type('/api/%zz'), problem);
    assert.is(await type('/api/admin/nowhere'), site.isDev ? page : 'application/json');
    assert.is(await type('/page'), page);
    assert.is(await type('/nowhere'), page);
  });

  test('an error keeps the headers that belong to its status', async () => {
    const { status, headers } = await site.raw('/api/range');
    assert.equal([status, headers['content-range'], headers['accept-ranges']], [416, 'bytes */10', 'bytes']);
    assert.is(headers.etag, undefined);
  });
});
