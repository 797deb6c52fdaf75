import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, middleware, module, route } from '../../harness/source.js';

const files: Files = {
  'fwk.config.ts': configFile(`{ csrf: { when: 'always' }, http: { bodyLimit: 100, problems: true } }`),
  'middlewares/1.form.ts': module(
    'isHttpError, middleware',
    `export default middleware(async (req, res, ctx, next) => {
  if (req.header('x-plain')) return next();
  try { return await next(); } catch (thrown) {
    if (!isHttpError(thrown)) throw thrown;
    res.status(thrown.status).json({ failed: thrown.status });
  }
}, { outermost: true });`,
  ),
  'middlewares/2.counts.ts': middleware(
    `(req, res, ctx, next) => { globalThis.inner = (globalThis.inner ?? 0) + 1; return next(); }`,
  ),
  'api/limited.ts': module(
    'get',
    'export default get(() => 1).meta({ rateLimit: { limit: 1, window: 0.5 } });',
  ),
  'api/often.ts': module('get', 'export default get(() => 1).meta({ rateLimit: { limit: 1 } });'),
  'api/posted.ts': route('post', '() => ({})'),
  'api/thrown.ts': module(
    'get, error',
    `export default get(() => { throw error(409, { message: 'No', code: 7 }); });`,
  ),
  'api/listed.ts': module('get, error', `export default get(() => { throw error(400, ['a']); });`),
  'api/inner.ts': route('get', '() => globalThis.inner'),
};

served(files, (test, site) => {
  const failed = async (path: string, sent = {}) => {
    const { status, json } = await site.raw(path, sent);
    return [status, json];
  };

  test('an outermost middleware sees the rate limit, the CSRF check, 404, 405 and 413', async () => {
    assert.is((await site.raw('/api/often')).status, 200);
    assert.equal(await failed('/api/often'), [429, { failed: 429 }]);
    const forged = { method: 'POST', headers: { cookie: 'a=1', 'sec-fetch-site': 'cross-site' } };
    assert.equal(await failed('/api/posted', forged), [403, { failed: 403 }]);
    assert.equal(await failed('/api/nothing'), [404, { failed: 404 }]);
    assert.equal(await failed('/api/posted'), [405, { failed: 405 }]);
    const large = { method: 'POST', body: 'x'.repeat(101), headers: { 'content-type': 'text/plain' } };
    assert.equal(await failed('/api/posted', large), [413, { failed: 413 }]);
    assert.equal(await failed('/api/thrown'), [409, { failed: 409 }]);
  });

  test('other middlewares do not run for rejected requests', async () => {
    const before = (await site.raw('/api/inner')).json as number;
    const forged = { method: 'POST', headers: { cookie: 'a=1', 'sec-fetch-site': 'cross-site' } };
    await site.raw('/api/posted', forged);
    assert.is((await site.raw('/api/inner')).json, before + 1);
  });

  test('http.problems sends error() as a problem document', async () => {
    const { headers, json } = await site.raw('/api/thrown', { headers: { 'x-plain': '1' } });
    assert.is(headers['content-type'], 'application/problem+json');
    assert.equal(json, { status: 409, title: 'Conflict', message: 'No', code: 7 });
    assert.equal((await site.raw('/api/listed', { headers: { 'x-plain': '1' } })).json, {
      status: 400,
      title: 'Bad Request',
      errors: ['a'],
    });
  });

  test('supports windows below a second', async () => {
    for (;;) {
      const { status, headers } = await site.raw('/api/limited');
      if (status === 200) {
        assert.match(String(headers['ratelimit-policy']), '"ip-0.5s";q=1;w=1');
        break;
      }
    }
  });
});
