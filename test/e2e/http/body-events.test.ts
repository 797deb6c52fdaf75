import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { middleware, module, route } from '../../harness/source.js';

const streaming = (handler: string, limit = '') =>
  module('post', `export default post(${handler}).meta({ body: 'stream'${limit} });`);

const byEvents = `(req) => new Promise((resolve) => {
  let size = 0;
  req.body.on('data', (chunk) => { size += chunk.length; }).on('end', () => resolve({ size }));
})`;

const files: Files = {
  'api/events.post.ts': streaming(byEvents),
  'api/limited.post.ts': streaming(byEvents, ', bodyLimit: 100'),
  'api/guarded/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'api/guarded/events.post.ts': streaming(byEvents),
  'api/piped.post.ts': `import { PassThrough } from 'node:stream';
${streaming('(req) => req.body.pipe(new PassThrough())')}`,
  'api/heard.post.ts': streaming(
    `(req) => new Promise((resolve) => {
       req.body.resume().on('error', (thrown) => resolve({ heard: thrown.status }));
     })`,
  ),
  'api/file.post.ts': `import { PassThrough } from 'node:stream';
${streaming(`async (req) => {
  for await (const part of req.body) {
    const out = part.stream.pipe(new PassThrough()).resume();
    await new Promise((resolve) => out.on('finish', resolve));
  }
  return { whole: true };
}`)}`,
  'api/skipped.post.ts': streaming(
    'async (req) => { for await (const part of req.body); return { skipped: true }; }',
  ),
  'lib/door.ts': 'export const door = {};\ndoor.opened = new Promise((open) => { door.open = open; });\n',
  'api/open.get.ts': `import { door } from '../lib/door.js';\n${route('get', '() => door.open()')}`,
  'api/late.post.ts': `import { door } from '../lib/door.js';
${streaming(`async (req) => {
  console.log('late begun');
  req.signal.addEventListener('abort', () => console.log('late alone'));
  await door.opened;
  try { for await (const chunk of req.body); } finally { console.log('late over'); }
}`)}`,
  'api/alive.get.ts': route('get', '() => ({ alive: true })'),
};

const test = suite('body by events');

const served = await production(files);
test.after(() => served.stop());

const chunked = (path: string, headers: string, ...pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`),
    ...pieces.flatMap((piece) => [
      Buffer.from(`${Buffer.byteLength(piece).toString(16)}\r\n`),
      Buffer.from(piece),
      Buffer.from('\r\n'),
    ]),
  ]);

const gzip = 'Content-Encoding: gzip\r\n';
const form = 'Content-Type: multipart/form-data; boundary=abc\r\n';
const part = '--abc\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nbytes';

for (const [what, status, bytes] of [
  ['bytes that do not decompress', 400, chunked('/api/events', gzip, 'not gzip at all')],
  [
    'bytes that do not decompress behind a middleware',
    400,
    chunked('/api/guarded/events', gzip, 'not gzip at all'),
  ],
  ['a chunked body over the limit', 413, chunked('/api/limited', '', 'a'.repeat(80), 'a'.repeat(80))],
  ['a decompressed body over the limit', 413, chunked('/api/limited', gzip, gzipSync('a'.repeat(8000)), '')],
  ['a form that ends early', 400, chunked('/api/file', form, part, '')],
] as const)
  test(`${what}: ${status}`, async () => {
    const connection = await connect(served.url);
    connection.send(bytes);
    assert.match(await connection.read(/"message"/), new RegExp(`^HTTP/1\\.1 ${status} `));
    connection.close();
    assert.equal((await served.raw('/api/alive')).json, { alive: true });
  });

test('cuts the connection if the response waits for data that never arrives', async () => {
  const connection = await connect(served.url);
  connection.send(chunked('/api/piped', gzip, 'not gzip at all'));
  assert.is(await connection.rest(), '');
  assert.equal((await served.raw('/api/alive')).json, { alive: true });
});

test('a handler that listens for errors answers itself', async () => {
  const connection = await connect(served.url);
  connection.send(chunked('/api/heard', gzip, 'not gzip at all'));
  assert.match(await connection.read(/heard/), /^HTTP\/1\.1 200 [\s\S]*{"heard":400}$/);
  connection.close();
});

test('a skipped file is no failure', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=abc' };
  const answer = await served.raw('/api/skipped', {
    method: 'POST',
    headers,
    body: `${part}\r\n--abc--\r\n`,
  });
  assert.equal(answer.json, { skipped: true });
});

test('a client that disconnects during the body does not end the process', async () => {
  for (const [path, headers, piece] of [
    ['/api/events', '', 'some'],
    ['/api/events', gzip, gzipSync('some').subarray(0, 12)],
    ['/api/limited', '', 'some'],
    ['/api/guarded/events', '', 'some'],
    ['/api/piped', gzip, gzipSync('some').subarray(0, 12)],
    ['/api/file', form, part],
  ] as const) {
    const connection = await connect(served.url);
    connection.send(chunked(path, headers, piece));
    // The server reads it before it answers the next connection.
    assert.equal((await served.raw('/api/alive')).json, { alive: true });
    connection.close();
    assert.equal((await served.raw('/api/alive')).json, { alive: true });
  }
  assert.is(served.child.exitCode, null);
});

test('a client that disconnects after its whole body causes no failure of the handler', async () => {
  const from = served.output.mark();
  const connection = await connect(served.url);
  connection.send('POST /api/late HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody');
  await served.output.waitFor(/late begun/, from);
  connection.close();
  await served.output.waitFor(/late alone/, from);
  await served.raw('/api/open');
  await served.output.waitFor(/late over/, from);
  await served.raw('/api/alive');
  assert.not.match(served.output.all.slice(from), /failed/);
});

test.run();
