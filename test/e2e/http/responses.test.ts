import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// What a handler gives back, and the response it makes.

const files: Files = {
  'api/object.ts': route(
    'get',
    `() => ({ a: 1, name: 'é', skipped: undefined, at: new Date(0), list: [null] })`,
  ),
  'api/later.ts': route('get', 'async () => ({ later: true })'),
  'api/array.ts': route('get', '() => [1, 2]'),
  'api/nothing.get.ts': route('get', '() => {}'),
  'api/nothing.post.ts': route('post', 'async () => {}'),
  'api/null.get.ts': route('get', 'async () => null'),
  'api/null.post.ts': route('post', '() => null'),
  'api/null.head.ts': route('head', '() => null'),
  'web/nothing.ts': route('get', '() => {}'),
  'web/null.ts': route('get', '() => null'),
  'web/object.ts': route('get', '() => ({ a: 1 })'),
  'api/value/[name].ts': route(
    'get',
    `(req) => ({ string: 'é"', empty: '', number: 1.5, zero: 0, yes: true, no: false })[req.params.name]`,
  ),
  'api/crash.ts': route('get', `() => { throw new Error('secret detail'); }`),
  'api/text.ts': route('get', `(req, res) => { res.type('text/plain'); return 'plain é'; }`),
  'api/bytes.ts': route('get', '() => Buffer.from([0, 255, 1])'),
  'api/array-bytes.ts': route('get', '() => new Uint8Array([7, 8])'),
  'api/response.ts': route(
    'get',
    `() => new Response('made', { status: 203, headers: { 'x-made': 'yes' } })`,
  ),
  'api/reset/json.post.ts': route('post', '(req, res) => { res.status(205); return { a: 1 }; }'),
  'api/reset/text.post.ts': route(
    'post',
    `(req, res) => res.status(205).type('text').header('Content-Language', 'en').send('text')`,
  ),
  'api/reset/stream.post.ts': route(
    'post',
    `(req, res) => { res.status(205); return (async function* () { yield 'a'; })(); }`,
  ),
  'api/reset/end.post.ts': route('post', '(req, res) => res.status(205).end()'),
  'api/pieces.ts': route(
    'get',
    `(req, res) => { res.type('text/plain'); return (async function* () { yield 'a'; yield 'b'; })(); }`,
  ),
};

served(files, (test, site) => {
  test('an object is JSON', async () => {
    for (const path of ['/api/object', '/object']) {
      const response = await site.fetch(path);
      assert.is(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/);
    }
    const object = await site.raw('/api/object');
    assert.is(object.text, '{"a":1,"name":"é","at":"1970-01-01T00:00:00.000Z","list":[null]}');
    assert.is(object.headers['content-length'], String(Buffer.byteLength(object.text)));
    assert.equal((await site.raw('/api/later')).json, { later: true });
    assert.equal((await site.raw('/api/array')).json, [1, 2]);
  });

  test('undefined is 204, null is 404 from GET and HEAD and 204 otherwise', async () => {
    for (const [method, path, status] of [
      ['GET', '/api/nothing', 204],
      ['POST', '/api/nothing', 204],
      ['GET', '/nothing', 204],
      ['GET', '/api/null', 404],
      ['HEAD', '/api/null', 404],
      ['GET', '/null', 404],
      ['POST', '/api/null', 204],
    ] as const) {
      const answer = await site.raw(path, { method });
      assert.is(answer.status, status, `${method} ${path}`);
      if (status === 204) assert.is(answer.text, '');
    }
  });

  test('a 205 has no body, whatever the handler gives', async () => {
    for (const what of ['json', 'text', 'stream', 'end']) {
      const { status, text, headers } = await site.raw(`/api/reset/${what}`, { method: 'POST' });
      const { 'content-length': length, 'content-type': type, 'content-language': language } = headers;
      assert.equal([status, text, length, type, language], [205, '', '0', undefined, undefined], what);
    }
  });

  test('strings, numbers and booleans are JSON', async () => {
    for (const [name, text] of Object.entries({
      string: '"é\\""',
      empty: '""',
      number: '1.5',
      zero: '0',
      yes: 'true',
      no: 'false',
    })) {
      const answer = await site.raw(`/api/value/${name}`);
      assert.is(answer.status, 200, name);
      assert.is(answer.text, text);
      assert.match(String(answer.headers['content-type']), /^application\/json\b/);
    }
  });

  test('a string under another type and bytes go out as they are', async () => {
    const text = await site.raw('/api/text');
    assert.is(text.text, 'plain é');
    assert.match(String(text.headers['content-type']), /^text\/plain\b/);
    const bytes = await site.fetch('/api/bytes');
    assert.equal([...new Uint8Array(await bytes.arrayBuffer())], [0, 255, 1]);
    assert.is(bytes.headers.get('content-type'), 'application/octet-stream');
    assert.equal([...new Uint8Array(await (await site.fetch('/api/array-bytes')).arrayBuffer())], [7, 8]);
  });

  test('a web Response goes out as it is', async () => {
    const made = await site.fetch('/api/response');
    assert.equal([made.status, made.headers.get('x-made'), await made.text()], [203, 'yes', 'made']);
  });

  test('an async iterator is streamed', async () => {
    assert.is((await site.raw('/api/pieces')).text, 'ab');
  });

  test('HEAD has the headers of GET and no body, whatever the handler gives', async () => {
    for (const path of [
      '/api/object',
      '/api/value/string',
      '/api/bytes',
      '/api/text',
      '/api/crash',
      '/api/none',
    ]) {
      const get = await site.raw(path);
      const connection = await connect(site.dev.url);
      connection.send(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      const text = await connection.rest();
      assert.match(text, new RegExp(`^HTTP/1.1 ${get.status} `), path);
      assert.match(text, /\r\n\r\n$/, path);
      assert.match(
        text,
        new RegExp(`content-type: ${get.headers['content-type']?.replace(/[+/]/g, '\\$&')}`, 'i'),
        path,
      );
    }
  });
});
