import type { Test } from 'uvu';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bootstrapped, bootstrapped } from '../harness/bootstrapped.js';
import { type Dev, dev } from '../harness/fwk.js';
import { type Answer, connect, request, type Sent } from '../harness/http.js';
import { type Files, project } from '../harness/project.js';
import { module, route } from '../harness/source.js';

// One onion: middlewares run around everything that is answered, and before anything of a body is read.

const middleware = (text: string, names = 'middleware') =>
  module(names, `export default middleware(${text});`);

const files: Files = {
  // What people write first: CORS, one form of errors, a log, a guard.
  'middlewares/1.cors.ts': middleware(`(req, res, ctx, next) => {
    res.header('Access-Control-Allow-Origin', 'https://shop.example');
    if (req.method === 'OPTIONS' && req.header('access-control-request-method')) return res.status(204).end();
    return next();
  }`),
  'middlewares/2.log.ts': `import { log } from '../lib/log.js';
${middleware(`async (req, res, ctx, next) => {
    const { kind, path, file, meta } = req.route;
    try {
      const result = await next();
      log.push([req.method, req.path, 'done', kind, path, file, meta]);
      return result;
    } catch (thrown) {
      log.push([req.method, req.path, thrown.status, kind, path, file, meta]);
      throw thrown;
    }
  }`)}`,
  'middlewares/3.errors.ts': middleware(
    `async (req, res, ctx, next) => {
      try {
        return await next();
      } catch (thrown) {
        if (req.header('x-form') !== 'own' || !isHttpError(thrown)) throw thrown;
        res.status(thrown.status);
        return { code: thrown.status, says: thrown.body.message };
      }
    }`,
    'middleware, isHttpError',
  ),
  'middlewares/4.guard.ts': middleware(
    `(req, res, ctx, next) => {
      if (req.header('x-guard')) throw error(401, 'who are you');
      return next();
    }`,
    'error, middleware',
  ),
  'middlewares/5.signature.ts': middleware(
    `async (req, res, ctx, next) => {
      if (!req.header('x-signed')) return next();
      let early = '';
      try { early = req.body; } catch (thrown) { early = thrown.message; }
      const body = await req.readBody();
      res.header('x-early', encodeURIComponent(early)).header('x-read', JSON.stringify(body));
      res.header('x-same', String((await req.readBody()) === body && req.body === body));
      return next();
    }`,
  ),
  'lib/log.ts': 'export const log = [];\n',
  'api/log.get.ts': `import { log } from '../lib/log.js';\n${route('get', '() => log.splice(0)')}`,
  'api/echo.post.ts': route('post', '(req) => ({ body: req.body ?? null })'),
  'api/small.post.ts': module(
    'post',
    `export default post((req) => ({ body: req.body })).meta({ bodyLimit: 8 });`,
  ),
  'api/nothing.get.ts': route('get', '() => null'),
  'api/late.get.ts': route('get', 'async () => null'),
  'api/range.get.ts': route(
    'get, error',
    `(req, res) => {
      res.header('Content-Range', 'bytes */10').header('Accept-Ranges', 'bytes').header('ETag', '"1"');
      throw error(416, 'no such range');
    }`,
  ),
  'api/teapot.get.ts': route('get, error', `() => { throw error(418, 'short and stout'); }`),
  'api/stream.post.ts': module(
    'post',
    `export default post(async (req) => {
      let size = 0;
      for await (const chunk of req.body) size += chunk.length;
      return { size };
    }).meta({ body: 'stream' });`,
  ),
  'api/admin/_middleware.ts': middleware(
    `(req, res, ctx, next) => {
      res.header('x-admin', String(req.params.id ?? ''));
      if (req.header('x-key') !== 'open') throw error(403, 'for admins');
      return next();
    }`,
    'error, middleware',
  ),
  'api/admin/here.get.ts': route('get', '() => 1'),
  'api/admin/[id].put.ts': route('put', '() => 1'),
  'api/(staff)/admin/_middleware.ts': middleware(`(req, res, ctx, next) => {
    res.header('x-staff', 'yes');
    return next();
  }`),
  'api/(staff)/admin/desk.get.ts': route('get', '() => 1'),
  'api/books/[id]/_middleware.ts': middleware(`(req, res, ctx, next) => {
    res.header('x-book', String(req.params.id));
    return next();
  }`),
  'api/books/[id]/pages.get.ts': route('get', '() => 1'),
  'api/books/[id]/pages.put.ts': route('put', '() => 1'),
  'api/books/new.post.ts': route('post', '() => 1'),
  'web/page.get.ts': route('get, error', `() => { throw error(404, 'no such page'); }`),
  'web/_middleware.ts': middleware(`(req, res, ctx, next) => { res.header('x-web', 'yes'); return next(); }`),
  'ws/room.ts': module('ws', 'export default ws(() => {});'),
  'public/style.css': 'body {}\n',
};

interface Running {
  raw(path: string, sent?: Sent): Promise<Answer>;
  readonly url: string;
  readonly isDev: boolean;
}

type Cases = (test: Test, site: Running) => void;

function everywhere(cases: Cases): void {
  const inDev = suite('onion, dev');
  let running: Dev | undefined;
  inDev.before(async () => {
    running = await dev(project(files)).catch((error) => {
      console.error(error);
      throw error;
    });
  });
  inDev.after(async () => void (await running?.stop()));
  cases(inDev, {
    raw: (path, sent) => request(running?.url ?? '', path, sent),
    get url() {
      return running?.url ?? '';
    },
    isDev: true,
  });
  inDev.run();

  const inProduction = suite('onion, production');
  let served: Bootstrapped | undefined;
  inProduction.before(async () => {
    served = await bootstrapped(files, 'js').catch((error) => {
      console.error(error);
      throw error;
    });
  });
  inProduction.after(async () => void (await served?.stop()));
  cases(inProduction, {
    raw: (path, sent) => request(served?.url ?? '', path, sent),
    get url() {
      return served?.url ?? '';
    },
    isDev: false,
  });
  inProduction.run();
}

const guarded = { 'x-guard': '1' };
const json = { 'content-type': 'application/json' };
const shop = 'https://shop.example';

everywhere((test, site) => {
  const post = (path: string, body: string, headers: Sent['headers'] = {}) =>
    site.raw(path, { method: 'POST', body, headers: { ...json, ...headers } });

  test('who is refused has sent nothing but a head', async () => {
    for (const path of ['/api/echo', '/api/stream', '/api/nowhere', '/nowhere']) {
      const connection = await connect(site.url);
      connection.send(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Guard: 1\r\nContent-Type: application/json\r\nContent-Length: 41943040\r\n\r\n`,
      );
      assert.match(await connection.read(/who are you/), /^HTTP\/1\.1 401 /, path);
      connection.close();
    }
  });

  test('the guard answers, whatever the body is', async () => {
    for (const [body, headers] of [
      ['{"broken', {}],
      ['x'.repeat(2_000_000), {}],
      ['not gzip', { 'content-encoding': 'gzip' }],
      ['a', { 'content-encoding': 'unknown' }],
      ['--x', { 'content-type': 'multipart/form-data; boundary=x' }],
    ] as const) {
      assert.is((await post('/api/echo', body, { ...headers, ...guarded })).status, 401);
    }
  });

  test('a connection is usable after a small body that nobody read', async () => {
    const connection = await connect(site.url);
    const guardedPost = (length: number) =>
      `POST /api/echo HTTP/1.1\r\nHost: x\r\nX-Guard: 1\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(length)}`;
    connection.send(`${guardedPost(10)}${guardedPost(70_000)}GET /api/teapot HTTP/1.1\r\nHost: x\r\n\r\n`);
    const text = await connection.read(/stout/);
    assert.equal(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 401', 'HTTP/1.1 418']);
    connection.close();
  });

  test('who goes on sending to nobody is cut off', async () => {
    const connection = await connect(site.url);
    connection.send('POST /api/echo HTTP/1.1\r\nHost: x\r\nX-Guard: 1\r\nTransfer-Encoding: chunked\r\n\r\n');
    await connection.read(/who are you/);
    const sending = setInterval(() => connection.send('1\r\na\r\n'), 50);
    await connection.rest();
    clearInterval(sending);
    assert.ok(connection.closed);
  });

  test('100 Continue is said when the body is wanted, and not before', async () => {
    const expecting = (path: string, length: number, header = '') =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${header}\r\n`;
    const refused = await connect(site.url);
    refused.send(expecting('/api/echo', 2, 'X-Guard: 1\r\n'));
    const answer = await refused.rest();
    assert.match(answer, /^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/);
    const large = await connect(site.url);
    large.send(expecting('/api/echo', 3_000_000));
    assert.match(await large.rest(), /^HTTP\/1\.1 413 /);
    const unknown = await connect(site.url);
    unknown.send(expecting('/api/nowhere', 2));
    assert.match(await unknown.rest(), /^HTTP\/1\.1 404 /);
    for (const path of ['/api/echo', '/api/stream']) {
      const taken = await connect(site.url);
      taken.send(expecting(path, 2));
      assert.is(await taken.read(/\r\n\r\n$/), 'HTTP/1.1 100 Continue\r\n\r\n');
      taken.send('{}');
      assert.match(await taken.read(/}$/), /^HTTP\/1\.1 200 /);
      taken.close();
    }
  });

  test('a middleware that needs the body reads it', async () => {
    const signed = { 'x-signed': '1' };
    const read = await post('/api/echo', '{"a":1}', signed);
    assert.equal(read.json, { body: { a: 1 } });
    assert.is(read.headers['x-read'], '{"a":1}');
    assert.is(read.headers['x-same'], 'true');
    assert.match(decodeURIComponent(String(read.headers['x-early'])), /await.*req\.readBody\(\)/);
    const broken = await post('/api/echo', '{"a', { ...signed, 'x-form': 'own' });
    assert.is((broken.json as { code: number }).code, 400);
    const none = await site.raw('/api/echo', { method: 'POST', headers: signed });
    assert.equal([none.json, none.headers['x-early']], [{ body: null }, 'undefined']);
    assert.is((await post('/api/nowhere', '{"a":1}', signed)).headers['x-read'], '{"a":1}');
  });

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
      const { code, says } = own.json as { code: number; says: unknown };
      assert.equal([code, typeof says], [status, 'string']);
      if (status === 405) assert.match(String(plain.headers.allow), /OPTIONS/);
    });
  }

  test('a preflight is answered for every URL', async () => {
    for (const path of ['/api/echo', '/api/nowhere', '/nowhere', '/style.css', '/ws/room']) {
      const answer = await site.raw(path, {
        method: 'OPTIONS',
        headers: { origin: shop, 'access-control-request-method': 'PUT' },
      });
      assert.equal([answer.status, answer.headers['access-control-allow-origin']], [204, shop], path);
    }
  });

  test('files of public/ pass by them', async () => {
    const file = await site.raw('/style.css', { headers: guarded });
    assert.equal([file.status, file.headers['access-control-allow-origin']], [200, undefined]);
  });

  test('req.route of what matched nothing says so', async () => {
    await site.raw('/api/log');
    await site.raw('/api/nowhere');
    await site.raw('/api/teapot');
    const [, none, found] = (await site.raw('/api/log')).json as unknown[][];
    assert.equal(none?.slice(3), ['none', null, null, {}]);
    assert.equal(found?.slice(3, 5), ['api', '/api/teapot']);
  });

  test('a guard of a literal directory hides what exists below it', async () => {
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
    assert.equal(await seen('/api/admin/%zz'), [403, true, false]);
    assert.equal(await seen('/api/administrators'), [404, false, false]);
    assert.equal(await seen('/api/admin/here', { method: 'DELETE' }), [403, true, false]);
    assert.equal(await seen('/api/admin/here', { method: 'DELETE', ...open }), [405, true, false]);
    assert.equal(await seen('/api/admin/here', { method: 'OPTIONS', ...open }), [204, true, false]);
    // Of two directories: only what is around both.
    assert.equal(await seen('/api/admin/desk', { method: 'POST' }), [405, false, false]);
  });

  test('for 405 those run that are around every route of the URL', async () => {
    const of = async (path: string, method: string) => {
      const { status, headers } = await site.raw(path, { method });
      return [status, headers['x-book']];
    };
    assert.equal(await of('/api/books/7/pages', 'DELETE'), [405, '7']);
    assert.equal(await of('/api/books/7/nowhere', 'GET'), [404, undefined]);
    assert.equal(await of('/api/books/new', 'DELETE'), [405, undefined]);
  });

  test('what nothing answers belongs to the longest mount', async () => {
    const isWeb = async (path: string) => (await site.raw(path)).headers['x-web'] === 'yes';
    assert.equal(
      await Promise.all(['/nowhere', '/', '/apis', '/api', '/api/nowhere', '/ws/nowhere'].map(isWeb)),
      [true, true, true, false, false, false],
    );
  });

  test('an API answers in one form, pages are for browsers', async () => {
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
