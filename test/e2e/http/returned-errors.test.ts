import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { MARKS_THROWN, module, route } from '../../harness/source.js';

// `return error(…)` is an error as `throw error(…)` is, for clients and for the layers around it.

const refusing = (wrapper: string, before = '') =>
  route(`${wrapper}, error`, `${before}() => error(403, 'no')`);
const files = {
  'api/plain.get.ts': refusing('get'),
  'api/plain.post.ts': refusing('post', 'async '),
  'api/down.get.ts': route('get, error', `() => error(503, { until: 'noon' })`),
  'api/seen/_middleware.ts': module('isHttpError, middleware', MARKS_THROWN),
  'api/seen/get.ts': refusing('get'),
  'api/seen/late.get.ts': refusing('get', 'async '),
  'api/seen/post.ts': refusing('post'),
  'api/seen/late.post.ts': refusing('post', 'async '),
  'api/seen/any.ts': refusing('all'),
};

served(files, (test, site) => {
  test('it is answered with its status and its body', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, json } = await site.raw('/api/plain', { method });
      assert.equal([status, json], [403, { message: 'no' }], method);
    }
    const page = await site.raw('/api/plain', { headers: { accept: 'text/html' } });
    assert.match(String(page.headers['content-type']), /^text\/html\b/);
  });

  test('one of the server itself is logged as one that is thrown', async () => {
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/down')).json, { until: 'noon' });
    await site.dev.waitFor(/GET \/api\/down answered 503 in /, from);
  });

  test('a middleware sees it thrown', async () => {
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'POST'],
      ['/late', 'GET'],
      ['/late', 'POST'],
      ['/any', 'GET'],
      ['/any', 'POST'],
    ] as const) {
      const { status, headers, json } = await site.raw(`/api/seen${path}`, { method, body: '' });
      assert.equal([status, headers['x-seen'], json], [403, '403', { message: 'no' }], method + path);
    }
  });
});
