import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { middleware, module, route } from '../../harness/source.js';

const up = (file: string) => '../'.repeat(file.split('/').length - 1);

/** A middleware that records its name before and after the handler. */
function traced(file: string, name: string): Record<string, string> {
  const text = `async (req, res, ctx, next) => { trace(req).push('${name}'); const result = await next(); trace(req).push('/${name}'); return result; }`;
  return {
    [file]: `import { trace } from '${up(file)}lib/trace.js';\n${middleware(`${text}`)}`,
  };
}

/** A route that answers with the names written so far. */
function traces(file: string): Record<string, string> {
  return {
    [file]: `import { trace } from '${up(file)}lib/trace.js';\n${route('get', '(req) => [...trace(req)]')}`,
  };
}

const files: Files = {
  'lib/trace.ts': `const traces = new WeakMap();
export function trace(req) {
  if (!traces.has(req.raw)) traces.set(req.raw, []);
  return traces.get(req.raw);
}
`,
  ...traced('middlewares/10.audit.ts', '10.audit'),
  ...traced('middlewares/2.auth.ts', '2.auth'),
  ...traced('middlewares/1.trace.ts', '1.trace'),
  'middlewares/20.mark.ts': middleware(`(req, res, ctx, next) => {
    res.header('x-route', req.route.meta.name ?? 'unnamed');
    return next();
  }`),
  ...traced('api/_middleware.ts', 'api'),
  ...traced('api/deep/_middleware.ts', 'deep'),
  ...traced('api/deep/[id]/_middleware.ts', '[id]'),
  ...traced('api/(staff)/_middleware.ts', '(staff)'),
  ...traced('web/_middleware.ts', 'web'),
  ...traces('api/here.ts'),
  ...traces('api/deep/here.ts'),
  ...traces('api/deep/[id]/here.ts'),
  ...traces('api/deep/[id].ts'),
  ...traces('api/(staff)/stats.ts'),
  ...traces('web/here.ts'),

  'api/wrapped/_middleware.ts': middleware('async (req, res, ctx, next) => ({ wrapped: await next() })'),
  'api/wrapped/object.ts': route('get', '() => ({ a: 1 })'),
  'api/wrapped/nothing.ts': route('get', '() => {}'),
  'api/nulled/_middleware.ts': middleware('async (req, res, ctx, next) => { await next(); return null; }'),
  'api/nulled/object.ts': route('get', '() => ({ a: 1 })'),
  'api/short/_middleware.ts': middleware(`() => ({ short: true })`),
  'api/short/object.ts': route(`() => { console.log('reached a handler behind a closed door'); return {}; }`),
  'api/caught/_middleware.ts': middleware(
    `async (req, res, ctx, next) => { try { return await next(); } catch (error) { return { caught: error.message }; } }`,
  ),
  'api/caught/thrown.ts': route('get', `() => { throw new Error('in the handler'); }`),
  'api/crash/_middleware.ts': middleware(`async () => { throw new Error('in the middleware'); }`),
  'api/crash/object.ts': route('get', '() => ({})'),
  'api/admin/_middleware.ts': middleware(
    `(req, res, ctx, next) => {
      if (req.header('x-key') !== 'open') throw error(401, 'who are you');
      return next();
    }`,
    'middleware, error',
  ),
  'api/admin/x.ts': route('get', `() => 'secret'`),
  'api/admin/[id].ts': route('get', `() => 'secret'`),
  'api/admin/deep/[...rest].ts': route('get', `() => 'secret'`),
  'api/[any]/x.ts': route('get', `(req) => ({ open: req.params.any })`),
  'api/named.ts': module('get', `export default get(() => ({})).meta({ name: 'the named one' });`),
};

const global = ['1.trace', '2.auth', '10.audit'];

served(files, (test, site) => {
  const json = async (path: string) => (await site.raw(path)).json;

  test('global middlewares run in natural order, and directory middlewares outermost first', async () => {
    assert.equal(await json('/api/here'), [...global, 'api']);
    assert.equal(await json('/api/deep/here'), [...global, 'api', 'deep']);
    assert.equal(await json('/api/deep/7/here'), [...global, 'api', 'deep', '[id]']);
    assert.equal(await json('/api/deep/7'), [...global, 'api', 'deep']);
    assert.equal(await json('/api/stats'), [...global, 'api', '(staff)']);
    assert.equal(await json('/here'), [...global, 'web']);
  });

  test('the result of a middleware is the response', async () => {
    assert.equal(await json('/api/wrapped/object'), { wrapped: { a: 1 } });
    assert.equal(await json('/api/wrapped/nothing'), {});
    assert.is((await site.raw('/api/nulled/object')).status, 404);
  });

  test('a middleware that does not call next ends the request', async () => {
    assert.equal(await json('/api/short/object'), { short: true });
    assert.not.match(site.dev.output.all, 'reached a handler');
  });

  test('an error passes through middlewares like a result', async () => {
    assert.equal(await json('/api/caught/thrown'), { caught: 'in the handler' });
    assert.is((await site.raw('/api/crash/object')).status, 500);
    const refused = await site.raw('/api/admin/x');
    assert.equal([refused.status, refused.json], [401, { message: 'who are you' }]);
  });

  test('req.route is the matched route', async () => {
    assert.is((await site.raw('/api/named')).headers['x-route'], 'the named one');
    assert.is((await site.raw('/api/here')).headers['x-route'], 'unnamed');
  });

  test('middlewares belong to the route, however its URL is written', async () => {
    const open = { headers: { 'x-key': 'open' } };
    for (const path of [
      ...[
        '/api/admin/x',
        '/api/admin/x/',
        '/api/%61dmin/x',
        '/api/admin/%78',
        '/%61pi/admin/x',
        '/api/admin/y',
      ],
      ...['/api/admin/x?x=/here', '/api/%61%64%6d%69%6e/x', '/api/admin/deep/a/b'],
    ]) {
      const { status } = await site.raw(path);
      assert.is(status, 401, path);
      assert.is((await site.raw(path, open)).text, '"secret"', path);
    }
    const whole = await site.raw(`${site.dev.url}/api/admin/x`);
    assert.is(whole.status, 401);
  });

  test('fwk routes --verbose prints the file and the chain of each route', async () => {
    const { status, stdout, stderr } = await fwk(site.project, 'routes', '--verbose');
    assert.equal([status, stderr], [0, '']);
    const blocks = stdout.split(/^(?=[A-Z]+ +\/)/m);
    const blockOf = (label: RegExp) => blocks.find((block) => label.test(block)) ?? '';
    const admin = blockOf(/^GET +\/api\/admin\/x\b/);
    assert.match(admin, site.project.label('api/admin/x.ts'));
    assert.match(admin, /1\.trace.*2\.auth.*10\.audit.*20\.mark.*api\/_middleware.*api\/admin\/_middleware/s);
    assert.not.match(admin, 'deep/_middleware');
    const page = blockOf(/^GET +\/here\b/);
    assert.match(page, /1\.trace.*20\.mark.*web\/_middleware/s);
    assert.not.match(page, 'api/_middleware');
  });
});
