import type { Test } from 'uvu';
import { suite } from 'uvu';
import { type Dev, dev } from '../../harness/fwk.js';
import { type Answer, request, type Sent } from '../../harness/http.js';
import { type Production, production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { middleware, module, route, wsModule } from '../../harness/source.js';

const files: Files = {
  // Typical first middlewares: CORS, one form of errors, a log, a guard.
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
        return { code: thrown.status, message: thrown.body.message };
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
  'api/admin/deep/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'api/books/[id]/_middleware.ts': middleware(`(req, res, ctx, next) => {
    res.header('x-book', String(req.params.id));
    return next();
  }`),
  'api/books/[id]/pages.get.ts': route('get', '() => 1'),
  'api/books/[id]/pages.put.ts': route('put', '() => 1'),
  'api/books/new.post.ts': route('post', '() => 1'),
  'web/page.get.ts': route('get, error', `() => { throw error(404, 'no such page'); }`),
  'web/_middleware.ts': middleware(`(req, res, ctx, next) => { res.header('x-web', 'yes'); return next(); }`),
  'ws/room.ts': wsModule('() => {}'),
  'public/style.css': 'body {}\n',
};

interface Running {
  raw(path: string, sent?: Sent): Promise<Answer>;
  readonly url: string;
  readonly isDev: boolean;
}

type Cases = (test: Test, site: Running) => void;

/** Runs the same cases in development and in production. */
export function everywhere(cases: Cases): void {
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
  let served: Production | undefined;
  inProduction.before(async () => {
    served = await production(files).catch((error) => {
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
