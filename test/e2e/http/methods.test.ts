import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route, tells } from '../../harness/source.js';

// Methods that no route is written for: HEAD, OPTIONS, and 405.

const files: Files = {
  'api/plain.get.ts': tells('get', 'plain'),
  'api/write.post.ts': tells('post', 'write'),
  'api/users/[id].get.ts': tells('get', 'user'),
  'api/users/[id].post.ts': tells('post', 'user'),
  'api/both.get.ts': tells('get', 'both'),
  'api/both.head.ts': route('head', `(req, res) => { res.header('x-at', 'head'); }`),
};

served(files, (test, site) => {
  test('a URL that exists under other methods answers 405 with them', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/api/plain', 'GET HEAD OPTIONS'],
      ['GET', '/api/write', 'OPTIONS POST'],
      ['HEAD', '/api/write', 'OPTIONS POST'],
      ['PATCH', '/api/users/7', 'GET HEAD OPTIONS POST'],
      ['PROPFIND', '/api/plain', 'GET HEAD OPTIONS'],
    ] as const) {
      const { status, headers } = await site.raw(path, { method });
      assert.is(status, 405, `${method} ${path}`);
      assert.is(allowed(headers.allow), allow, `${method} ${path}`);
    }
  });

  test('OPTIONS without a route is 204 with the methods', async () => {
    const { status, headers, text } = await site.raw('/api/plain', { method: 'OPTIONS' });
    assert.is(status, 204);
    assert.is(allowed(headers.allow), 'GET HEAD OPTIONS');
    assert.is(text, '');
    assert.is((await site.raw('/api/nowhere', { method: 'OPTIONS' })).status, 404);
  });

  test('GET answers HEAD with its headers and nothing after them', async () => {
    const get = await site.raw('/api/plain');
    const connection = await connect(site.dev.url);
    connection.send('HEAD /api/plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const text = await connection.rest();
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.match(text, /\r\n\r\n$/);
    assert.match(text.toLowerCase(), `content-type: ${get.headers['content-type']}`);
  });

  test('a head route is preferred to GET', async () => {
    assert.is((await site.raw('/api/both', { method: 'HEAD' })).headers['x-at'], 'head');
    assert.is((await site.raw('/api/both')).status, 200);
  });
});

function allowed(header: string | undefined): string {
  return (header ?? '').split(/, */).sort().join(' ');
}
