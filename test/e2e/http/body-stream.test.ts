import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { chunked, field, file, type Typed, written } from '../../harness/multipart.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, module } from '../../harness/source.js';

const mebibyte = 1024 * 1024;

const streaming = (handler: string, limit = '', wrapper = 'post') =>
  module(wrapper, `export default ${wrapper}(${handler}).meta({ body: 'stream'${limit} });`);

const size =
  'async (req) => { let size = 0; for await (const chunk of req.body) size += chunk.length; return { size }; }';
const list = `async (req) => {
  const told = [];
  for await (const part of req.body) {
    if (!('stream' in part)) { told.push([part.name, part.value]); continue; }
    const chunks = [];
    for await (const chunk of part.stream) chunks.push(chunk);
    told.push([part.name, part.filename, part.type, Buffer.concat(chunks).toString('hex')]);
  }
  return told;
}`;
const files: Files = {
  'fwk.config.ts': configFile('{ http: { bodyLimit: 1000, maxParts: 6, maxFiles: 3, maxFieldName: 20 } }'),
  'api/size.ts': streaming(size, '', 'all'),
  'api/same.post.ts': streaming('(req) => ({ same: req.body === req.raw })'),
  'api/limited.post.ts': streaming(size, ', bodyLimit: 5000'),
  'api/list.post.ts': streaming(list),
  'api/short.post.ts': streaming(list, ', bodyLimit: 5000'),
  'api/skip.post.ts': streaming(
    'async (req) => { const names = []; for await (const part of req.body) names.push(part.name); return names; }',
  ),
  'api/peek.post.ts': streaming(
    `async (req) => {
       const told = [];
       for await (const part of req.body) for await (const chunk of part.stream) { told.push(part.name); break; }
       return told;
     }`,
  ),
  'api/late.post.ts': streaming(
    `async (req) => {
       const streams = [];
       for await (const part of req.body) streams.push(part.stream);
       try { for await (const chunk of streams[0]); } catch (thrown) { return { thrown: thrown.message }; }
     }`,
  ),
};

served(files, (test, site) => {
  const post = (path: string, { type, body }: Typed) =>
    site.raw(path, { method: 'POST', body, headers: { 'content-type': type } });
  const bytes = (count: number): Typed => ({
    type: 'application/octet-stream',
    body: Buffer.alloc(count, 'x'),
  });

  test('the body is the request itself, of any size and type', async () => {
    assert.equal((await post('/api/same', bytes(10))).json, { same: true });
    assert.equal((await post('/api/size', bytes(3 * mebibyte))).json, { size: 3 * mebibyte });
    assert.equal((await post('/api/size', { type: 'application/json', body: Buffer.from('{') })).json, {
      size: 1,
    });
  });

  test('a missing body is an empty stream', async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await site.raw('/api/size', { method })).json, { size: 0 }, method);
  });

  test('the limit of a route applies with and without Content-Length', async () => {
    assert.equal((await post('/api/limited', bytes(5000))).json, { size: 5000 });
    assert.is((await post('/api/limited', bytes(5001))).status, 413);
    for (const [count, status] of [
      [5000, '200'],
      [5001, '413'],
    ] as const) {
      const connection = await connect(site.dev.url);
      connection.send(chunked('/api/limited', bytes(count), 300));
      assert.match(await connection.rest(), new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  const form = written(
    field('a', 'é'),
    file('b', '図.bin', Buffer.from([0, 255, 13, 10])),
    field('', ''),
    file('c', 'c', ''),
    field('__proto__', 'x'),
  );
  const parts = [
    ['a', 'é'],
    ['b', '図.bin', 'application/octet-stream', '00ff0d0a'],
    ['', ''],
    ['c', 'c', 'application/octet-stream', ''],
  ];

  test('a multipart form yields its parts in order', async () => {
    assert.equal((await post('/api/list', form)).json, parts);
    for (const size of [1, 2, 7, 31]) {
      const connection = await connect(site.dev.url);
      connection.send(chunked('/api/list', form, size));
      const text = Buffer.from(await connection.rest(), 'latin1').toString();
      assert.equal(JSON.parse(/\[.*\]/s.exec(text)?.[0] ?? ''), parts, `chunks of ${size}`);
    }
  });

  const big = Buffer.alloc(2 * mebibyte, 'POST /api/nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const files = written(file('a', 'a', big), file('b', 'b', big), file('c', 'c', 'x'));

  test('a file that is not read to its end is skipped', async () => {
    assert.equal((await post('/api/skip', files)).json, ['a', 'b', 'c']);
    assert.equal((await post('/api/peek', files)).json, ['a', 'b', 'c']);
  });

  test('reading a file after the next part is an error', async () => {
    const { json } = await post('/api/late', files);
    assert.match((json as { thrown: string }).thrown, /^The file "a" was not read before /);
  });

  test('form limits apply', async () => {
    const many = (count: number) => written(...Array.from({ length: count }, () => field('a', '')));
    assert.is((await post('/api/list', many(6))).status, 200);
    const refused: readonly (readonly [string, Typed, number, RegExp])[] = [
      ['/api/list', many(7), 413, /more than 6 parts/],
      [
        '/api/list',
        written(...'abcd'.split('').map((name) => file(name, name, ''))),
        413,
        /more than 3 files/,
      ],
      ['/api/list', written(field('x'.repeat(21), '')), 413, /longer than 20 bytes/],
      ['/api/list', written(field('a', 'x'.repeat(1001))), 413, /"a\\" is larger than 1000 bytes/],
      ['/api/short', written(file('a', 'a', 'x'.repeat(5000))), 413, /larger than the limit of 5000 bytes/],
      ['/api/list', { ...form, body: form.body.subarray(0, -10) }, 400, /ends before its last boundary/],
      ['/api/list', { type: 'multipart/form-data', body: form.body }, 400, /needs a boundary/],
    ];
    for (const [path, sent, status, sentence] of refused) {
      const answer = await post(path, sent);
      assert.is(answer.status, status, answer.text);
      assert.match(answer.text, sentence);
    }
  });
});
