import * as assert from 'uvu/assert';
import { connect, type Sent } from '../../harness/http.js';
import { everywhere } from './onion-project.js';

const guarded = { 'x-guard': '1' };
const json = { 'content-type': 'application/json' };

everywhere((test, site) => {
  const post = (path: string, body: string, headers: Sent['headers'] = {}) =>
    site.raw(path, { method: 'POST', body, headers: { ...json, ...headers } });

  test('rejects a request before its body is sent', async () => {
    for (const path of ['/api/echo', '/api/stream', '/api/nowhere', '/nowhere']) {
      const connection = await connect(site.url);
      connection.send(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Guard: 1\r\nContent-Type: application/json\r\nContent-Length: 41943040\r\n\r\n`,
      );
      assert.match(await connection.read(/who are you/), /^HTTP\/1\.1 401 /, path);
      connection.close();
    }
  });

  test('the guard answers before any body is read', async () => {
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

  test('a connection is usable after a small unread body', async () => {
    const connection = await connect(site.url);
    const guardedPost = (length: number) =>
      `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nX-Guard: 1\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(length)}`;
    connection.send(
      `${guardedPost(10)}${guardedPost(70_000)}GET /api/teapot HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    const text = await connection.read(/stout/);
    assert.equal(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 401', 'HTTP/1.1 418']);
    connection.close();
  });

  test('cuts off a client that keeps sending an unread body', async () => {
    const connection = await connect(site.url);
    connection.send(
      'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nX-Guard: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await connection.read(/who are you/);
    const sending = setInterval(() => connection.send('1\r\na\r\n'), 50);
    await connection.rest();
    clearInterval(sending);
    assert.ok(connection.closed);
  });

  test('sends 100 Continue when the body is read, and not before', async () => {
    const expecting = (path: string, length: number, header = '') =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${header}\r\n`;
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

  test('a middleware can read the body', async () => {
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
});
