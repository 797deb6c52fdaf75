import { once } from 'node:events';
import http from 'node:http';
import zlib from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { module, route } from '../../harness/source.js';
import { ask as askUrl, plain } from './coded.js';

const files = {
  'fwk.config.ts': `export default { compression: { codings: ['br', 'gzip'], events: true } };`,
  'api/fault.get.js': route('get', `() => { throw new Error('of the handler'); }`),
  'api/after.get.js': route(`(req, res) => { res.json('x'.repeat(50_000)); throw new Error('after it'); }`),
  'api/held.get.js': route(
    `(req, res) => { res.beforeHead(async () => res.header('x-held', '1')); return 'x'.repeat(50_000); }`,
  ),
  'api/stream.get.js': route(
    `(req, res) => { res.type('text'); return (async function* () { for (let i = 0; i < 2000; i++) yield 'line ' + i + '\\n'; })(); }`,
  ),
  'api/broken.get.js': route(
    `(req, res) => { res.type('text'); return (async function* () { yield 'some'; throw new Error('of the source'); })(); }`,
  ),
  'api/slow.get.js': module(
    'get',
    `let next; globalThis.ended = new Promise((resolve) => { globalThis.end = resolve; });
     export default get((req, res) => { res.type('text'); return (async function* () {
       try { yield 'first\\n'; await new Promise(() => req.signal.addEventListener('abort', () => next, { once: true })); }
       finally { globalThis.end(); }
     })(); });`,
  ),
  'api/endless.get.js': module(
    'get',
    `let made = 0, ended = false;
     const noise = () => { made += 65536; return require('node:crypto').randomBytes(65536); };
     import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
     export default get((req, res) => {
       if (req.query.state) return { made, ended };
       res.type('text');
       return (async function* () { try { for (;;) yield noise(); } finally { ended = true; } })();
     });`,
  ),
  'api/events.get.js': module(
    'sse',
    `export default sse(({ send }) => { send({ n: 1 }); return () => {}; })`,
  ),
};

const test = suite('compressed streams');
const served = await production(files);
test.after(() => served.stop());
const ask = (path: string, accept?: string, more?: http.RequestOptions) =>
  askUrl(`${served.url}${path}`, accept, more);

test('compresses streams', async () => {
  const answer = await ask('/api/stream', 'br');
  assert.is(answer.headers['content-encoding'], 'br');
  assert.is(plain(answer).split('\n').length, 2001);
  assert.ok(answer.body.length < 10_000, `${answer.body.length} bytes`);
});

test('flushes a stream that pauses, and ends it when the client disconnects', async () => {
  const request = http.get(`${served.url}/api/slow`, { headers: { 'accept-encoding': 'gzip' } });
  const [incoming] = (await once(request, 'response')) as [http.IncomingMessage];
  const gunzip = zlib.createGunzip();
  incoming.on('error', () => {}).pipe(gunzip);
  const [piece] = await once(gunzip, 'data');
  assert.is(String(piece), 'first\n');
  request.destroy();
});

test('a client that does not read pauses the source, and ends it by disconnecting', async () => {
  const request = http.get(`${served.url}/api/endless`, { headers: { 'accept-encoding': 'gzip' } });
  const [incoming] = (await once(request, 'response')) as [http.IncomingMessage];
  incoming.on('error', () => {});
  const state = async () => JSON.parse(plain(await ask('/api/endless?state=1')));
  let before = -1;
  let now = (await state()).made;
  // When production of chunks stops, the buffers of both sockets are full.
  for (let same = 0; same < 20; now = (await state()).made) {
    same = now === before ? same + 1 : 0;
    before = now;
  }
  assert.ok(now < 64 * 1024 * 1024, `${now} bytes were made`);
  request.destroy();
  while (!(await state()).ended);
});

test('a source that fails before the first byte is a 500 without a content coding', async () => {
  for (const path of ['/api/broken', '/api/fault']) {
    const { status, headers } = await ask(path, 'gzip');
    assert.equal([status, headers['content-encoding']], [500, undefined]);
  }
});

test('sends a response that is being compressed even if its handler throws then', async () => {
  assert.is(JSON.parse(plain(await ask('/api/after', 'gzip'))).length, 50_000);
  const held = await ask('/api/held', 'gzip');
  assert.equal([held.headers['x-held'], held.headers['content-encoding']], ['1', 'gzip']);
});

test('with compression.events, each event is sent immediately', async () => {
  const request = http.get(`${served.url}/api/events`, { headers: { 'accept-encoding': 'br' } });
  const [incoming] = (await once(request, 'response')) as [http.IncomingMessage];
  assert.is(incoming.headers['content-encoding'], 'br');
  const decoder = zlib.createBrotliDecompress();
  incoming.on('error', () => {}).pipe(decoder);
  let text = '';
  while (!text.includes('{"n":1}')) text += (await once(decoder, 'data'))[0];
  request.destroy();
});

test.run();
