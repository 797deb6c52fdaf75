import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { connect, listening } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

/** A route module whose handler can use node:stream. */
const streaming = (handler: string) =>
  `import { createReadStream } from 'node:fs';\nimport { Readable } from 'node:stream';\n${route('get', handler)}`;

const files: Files = {
  'api/blob/[type].ts': route(
    `(req) => new Blob(['blob é'], req.params.type === 'none' ? {} : { type: 'text/' + req.params.type })`,
  ),
  'api/file.ts': route('get', `(req, res) => new File(['{}'], 'a.json', { type: 'application/json' })`),
  'api/bytes.ts': route('get', `() => Buffer.from('bytes')`),
  'api/bad/[kind].ts': streaming(
    `async (req, res) => {
      const web = new ReadableStream({ start(controller) { controller.enqueue('x'); controller.close(); } });
      const read = new Response('x');
      await read.text();
      const gone = Readable.from(['x']);
      gone.destroy();
      if (req.params.kind === 'locked') web.getReader();
      return {
        locked: () => web, read: () => read, gone: () => gone, error: () => Response.error(),
        objects: async function* () { yield { a: 1 }; },
        missing: () => createReadStream('/nowhere/at/all'),
      }[req.params.kind]();
    }`,
  ),
  'api/length/[length].ts': route(
    `(req, res) => { res.header('Content-Length', req.params.length); return (async function* () { yield 'abcd'; })(); }`,
  ),
  'api/response/[kind].ts': route(`(req, res) => {
      res.header('X-Set', 'before').header('X-Both', 'before').cookie('first', '1');
      const headers = new Headers({ 'X-Both': 'own', Connection: 'close' });
      headers.append('Set-Cookie', 'second=2; Expires=Wed, 21 Oct 2015 07:28:00 GMT');
      headers.append('Set-Cookie', 'third=3');
      return {
        text: () => new Response('text', { status: 202, headers }),
        none: () => new Response(null, { headers }),
        204: () => new Response(null, { status: 204, headers }),
        304: () => new Response(null, { status: 304, headers }),
        json: () => Response.json({ a: 1 }, { status: 418, headers }),
        away: () => Response.redirect('http://localhost/x', 303),
      }[req.params.kind]();
    }`),
  'api/own-length.ts': route('get', `(req, res) => { res.header('Content-Length', 1); return { a: 1 }; }`),
  'api/own-length.head.ts': route(
    'head',
    `(req, res) => { res.status(200).header('Content-Length', 77).end(); }`,
  ),
  'api/own-encoding.ts': route(`(req, res) => { res.header('Transfer-Encoding', 'chunked'); return 1; }`),
  'api/empty.ts': route('get', '(req, res) => { res.status(204).json({ a: 1 }); }'),
  'api/fetched.ts': route('get', '(req) => fetch(req.query.url)'),
  'api/events.get.ts': route(
    `(req, res) => { res.type('text/event-stream'); return (async function* () { await new Promise((done) => { globalThis.release = done; }); yield 'data: 1\\n\\n'; })(); }`,
  ),
  'api/events.post.ts': route('post', '() => globalThis.release()'),
};

served(files, (test, site) => {
  test('a Blob and a File are sent with type and length, also for HEAD', async () => {
    for (const [path, type, text] of [
      ['/api/blob/x-own', 'text/x-own', 'blob é'],
      ['/api/blob/none', 'application/octet-stream', 'blob é'],
      ['/api/file', 'application/json', '{}'],
      ['/api/bytes', 'application/octet-stream', 'bytes'],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, text: sent } = await site.raw(path, { method });
        assert.equal([status, headers['content-type'], sent], [200, type, method === 'GET' ? text : '']);
        assert.is(headers['content-length'], String(Buffer.byteLength(text)), path);
      }
  });

  test('an unreadable body is a 500 with a message', async () => {
    for (const [kind, expected] of Object.entries({
      locked: /locked/,
      read: /has already been read/,
      gone: /Premature close|premature/i,
      error: /Response\.error\(\) cannot be sent/,
      objects: /must yield text or bytes, but it yielded object/,
      missing: /ENOENT/,
    })) {
      const from = site.dev.output.mark();
      assert.is((await site.raw(`/api/bad/${kind}`)).status, 500, kind);
      await site.dev.waitFor(expected, from);
      assert.is((await site.raw(`/api/bad/${kind}`, { method: 'HEAD' })).text, '');
    }
    assert.is((await site.raw('/api/bytes')).status, 200);
  });

  test('a stream longer or shorter than its Content-Length never reaches the next response', async () => {
    assert.is((await site.raw('/api/length/4')).headers['content-length'], '4');
    for (const length of [2, 9]) {
      const connection = await connect(site.dev.url);
      connection.send(`GET /api/length/${length} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const text = await connection.rest();
      assert.ok(text.length === 0 || text.split('\r\n\r\n')[1]?.length !== length, text);
    }
    assert.is((await site.raw('/api/length/none')).status, 500);
  });

  test('a Response keeps its status, headers and every cookie', async () => {
    for (const [kind, status, text, type] of [
      ['text', 202, 'text', 'text/plain;charset=UTF-8'],
      ['none', 200, '', undefined],
      ['204', 204, '', undefined],
      ['304', 304, '', undefined],
      ['json', 418, '{"a":1}', 'application/json'],
    ] as const) {
      const { status: given, headers, text: sent } = await site.raw(`/api/response/${kind}`);
      assert.equal([given, sent, headers['content-type']], [status, text, type]);
      assert.equal([headers['x-set'], headers['x-both']], ['before', 'own']);
      const names = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]);
      assert.equal(names, ['first=1', 'second=2', 'third=3']);
      assert.is.not(headers.connection, 'close');
      assert.is(headers['content-length'], kind === 'none' ? '0' : undefined, kind);
      const head = await site.raw(`/api/response/${kind}`, { method: 'HEAD' });
      assert.equal([head.status, head.text, head.headers['content-type']], [status, '', type]);
    }
    const away = await site.raw('/api/response/away');
    assert.equal([away.status, away.headers.location, away.text], [303, 'http://localhost/x', '']);
  });

  test('Content-Length is sent once and correctly, and a 204 has no body', async () => {
    const connection = await connect(site.dev.url);
    connection.send('GET /api/own-length HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const text = await connection.rest();
    assert.equal(text.match(/content-length: \d+/gi), ['Content-Length: 7']);
    const head = await site.raw('/api/own-length', { method: 'HEAD' });
    assert.is(head.headers['content-length'], '77');
    assert.is((await site.raw('/api/own-encoding')).status, 500);
    const { status, headers } = await site.raw('/api/empty');
    assert.equal([status, headers['content-length'], headers['content-type']], [204, undefined, undefined]);
  });

  test('a fetched response is passed on decoded', async () => {
    const origin = createServer((_, out) => {
      out.writeHead(201, { 'Content-Encoding': 'gzip', 'Content-Type': 'text/x-far', 'X-Far': '1' });
      out.end(gzipSync('far away'));
    });
    const url = await listening(origin);
    const { status, headers, text } = await site.raw(`/api/fetched?url=${encodeURIComponent(url)}`);
    origin.close();
    assert.equal(
      [status, text, headers['x-far'], headers['content-type']],
      [201, 'far away', '1', 'text/x-far'],
    );
    assert.is(headers['content-encoding'], undefined);
  });

  test('the head of an event stream does not wait for the first event', async () => {
    const response = await site.fetch('/api/events');
    assert.is(response.headers.get('content-type'), 'text/event-stream');
    assert.is((await site.raw('/api/events', { method: 'POST' })).status, 204);
    assert.is(await response.text(), 'data: 1\n\n');
  });
});
