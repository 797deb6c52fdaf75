import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tcp } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { configFile, module, route } from '../../harness/source.js';

// http.maxBodyMemory: the bodies of all requests together have a limit, until their responses have ended.

const files = {
  'fwk.config.ts': configFile('{ http: { bodyLimit: 600_000, maxBodyMemory: 1_000_000, maxParts: 5 } }'),
  'api/size.post.ts': route('post', '(req) => req.body.length'),
  'api/json.post.ts': route('post', '(req) => req.body'),
  'api/form.post.ts': route('post', '(req) => req.body.a.size'),
  'api/large.post.ts': module(
    'post',
    'export default post((req) => req.body.length).meta({ bodyLimit: 3_000_000 });',
  ),
  'api/stream.post.ts': module(
    'post',
    `export default post(async (req) => {
       let size = 0;
       for await (const chunk of req.body) size += chunk.length;
       return size;
     }).meta({ body: 'stream' });`,
  ),
  'api/fields.post.ts': module(
    'post',
    `export default post(async (req) => {
       let size = 0;
       for await (const part of req.body) size += part.value.length;
       return size;
     }).meta({ body: 'stream' });`,
  ),
  'api/wait.post.ts': route(
    'post',
    `(req) => { console.log('[waits]'); return new Promise((resolve) => { globalThis.go = () => resolve(1); }); }`,
  ),
  'api/go.ts': route('get', '() => { globalThis.go(); return 1; }'),
};

const test = suite('all bodies');
const served = await production(files);
test.after(() => served.stop());

const post = (path: string, body: string | Buffer, headers = {}) =>
  served.raw(path, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...headers } });
const text = (size: number) => 'a'.repeat(size);

/** A request whose body of 600,000 bytes is complete except for its last byte. */
async function hold(): Promise<Socket> {
  const socket = await tcp(served.url);
  const head =
    'POST /api/size HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 600000\r\n\r\n';
  await new Promise((sent) => socket.write(head + text(599_999), sent));
  return socket;
}

/** Repeats a request until it has the status, because the server may read later than a client has written. */
async function until(status: number, send: () => ReturnType<typeof post>) {
  let answer = await send();
  while (answer.status !== status) answer = await send();
  return answer;
}

const form = (size: number) =>
  `--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: image/png\r\n\r\n${text(size)}\r\n--b--`;
const multipart = { 'content-type': 'multipart/form-data; boundary=b' };

test('beyond the limit, further bodies get 503, and fit again once the others are gone', async () => {
  assert.is((await post('/api/size', text(500_000))).text, '500000');
  const socket = await hold();
  const { headers, json } = await until(503, () => post('/api/size', text(500_000)));
  assert.is(headers['retry-after'], '1');
  assert.is((json as { status: number }).status, 503);
  await served.output.waitFor(
    /POST \/api\/size answered 503: All request bodies together take more than 1000000 bytes/,
  );
  assert.is((await post('/api/form', form(500_000), multipart)).status, 503);
  assert.is((await post('/api/size', gzipSync(text(500_000)), { 'content-encoding': 'gzip' })).status, 503);
  // Streamed bodies, and bodies that arrive at once, are never rejected.
  assert.is((await post('/api/stream', text(2_000_000))).text, '2000000');
  assert.is((await post('/api/json', '{"a":1}', { 'content-type': 'application/json' })).text, '{"a":1}');

  socket.destroy();
  await until(200, () => post('/api/size', text(500_000)));
  assert.is((await post('/api/form', form(500_000), multipart)).text, '500000');
  assert.is(
    (await post('/api/size', gzipSync(text(500_000)), { 'content-encoding': 'gzip' })).text,
    '500000',
  );
});

test('a body counts until its response has ended', async () => {
  const waiting = post('/api/wait', text(550_000));
  await served.output.waitFor(/\[waits\]/);
  assert.is((await post('/api/size', text(500_000))).status, 503);
  await served.raw('/api/go');
  assert.is((await waiting).status, 200);
  await until(200, () => post('/api/size', text(500_000)));
});

test('a route that accepts larger bodies gets them, and nothing stays counted', async () => {
  for (let times = 0; times < 3; times += 1) {
    assert.is((await post('/api/large', text(2_900_000))).text, '2900000');
    assert.is((await post('/api/size', text(700_000))).status, 413);
    const field = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text(550_000)}\r\n`;
    assert.is((await post('/api/fields', `${field.repeat(4)}--b--`, multipart)).text, '2200000');
    const sockets = await Promise.all([hold(), hold(), hold()]);
    for (const socket of sockets) socket.destroy();
    await until(200, () => post('/api/size', text(590_000)));
  }
  await until(200, () => post('/api/size', text(599_000)));
});

test.run();
