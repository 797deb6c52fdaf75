import type http from 'node:http';
import zlib from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { route, sseRoute } from '../../harness/source.js';
import { ask as askUrl, plain } from './coded.js';

const js = 'export const words = ["the", "same", "again", "and", "again"];\n';
const files = {
  'fwk.config.ts': `export default { compression: { codings: ['br', 'gzip', 'zstd'] } };`,
  'api/small.get.js': route('get', `() => ({ small: true })`),
  'api/list.get.js': route('get', `() => Array(100).fill({ title: 'A title' })`),
  'api/large.get.js': route('get', `() => Array(30000).fill({ title: 'A title' })`),
  'api/huge.get.js': route('get', `() => 'x'.repeat(3_000_000)`),
  'api/off.get.js': `${route('get', `() => Array(100).fill({ title: 'A title' })`).replace(/;\s*$/, '')}.meta({ compression: false });\n`,
  'api/kept.get.js': route(
    `(req, res) => { res.header('cache-control', 'public, No-Transform'); return 'x'.repeat(5000); }`,
  ),
  'api/tagged.get.js': route(`(req, res) => { res.header('etag', '"one"'); return 'x'.repeat(5000); }`),
  'api/coded.get.js': route(
    `(req, res) => { res.header('content-encoding', 'x-own').type('text'); return 'x'.repeat(5000); }`,
  ),
  'api/vary.get.js': route(
    `(req, res) => { res.header('vary', 'Origin, accept-encoding'); return 'x'.repeat(5000); }`,
  ),
  'api/star.get.js': route('get', `(req, res) => { res.header('vary', '*'); return 'x'.repeat(5000); }`),
  'api/picture.get.js': route('get', `(req, res) => { res.type('image/png'); return Buffer.alloc(5000); }`),
  'api/bogus.get.js': route(`(req, res) => { res.type('application/x-bogus'); return Buffer.alloc(5000); }`),
  'api/empty.get.js': route('get', `(req, res) => res.type('text').status(200).send('')`),
  'api/bytes.get.js': route('get', `(req, res) => res.type('text').send(Buffer.from('é'.repeat(5000)))`),
  'api/pieces.get.js': route(`(req, res) => {
      const count = Number(req.query.count);
      res.type('text');
      if (req.query.told) res.header('content-length', count);
      return (async function* () { for (let sent = 0; sent < count; sent += 10) yield 'ten bytes.'; })();
    }`),
  'api/events.get.js': sseRoute(`({ send }) => send('x'.repeat(3000))`),
  'public/app.js': js.repeat(100),
  'public/app.css': 'a { color: red }\n'.repeat(200),
  'public/app.css.br': 'as brotli',
  'public/tiny.js': js,
  'public/large.js': js.repeat(8000),
  'public/once.js': js.repeat(4000),
  'api/compressed.ts': `import zlib from 'node:zlib';
import { get } from 'fwkit';
let count = 0;
const { gzip } = zlib;
zlib.gzip = (...args) => (count++, gzip(...args));
export default get(() => count);
`,
};

const test = suite('compression');
const served = await production(files);
test.after(() => served.stop());
const ask = (path: string, accept?: string, more?: http.RequestOptions) =>
  askUrl(`${served.url}${path}`, accept, more);

for (const [accept, expected] of [
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.9', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=0.2, identity;q=0.8', undefined],
  ['identity;q=0, gzip', 'gzip'],
  ['gzip ; Q=nonsense', undefined],
  ['gzip, br;q=0.8', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['zstd, gzip;q=0.5', 'zstdDecompressSync' in zlib ? 'zstd' : 'gzip'],
  ['deflate', undefined],
  ['bogus', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)
  test(`Accept-Encoding: ${accept}`, async () => {
    const answer = await ask('/api/list', accept);
    assert.is(answer.headers['content-encoding'], expected);
    assert.is(answer.headers.vary, 'Accept-Encoding');
    assert.is(JSON.parse(plain(answer)).length, 100);
    assert.is(Number(answer.headers['content-length']), answer.body.length);
  });

test('a small body is compressed if the client rejects identity', async () => {
  assert.is((await ask('/api/small', 'gzip')).headers['content-encoding'], undefined);
  const answer = await ask('/api/small', 'gzip, identity;q=0');
  assert.is(answer.headers['content-encoding'], 'gzip');
  assert.is(plain(answer), '{"small":true}');
});

test('compresses large bodies, with Content-Length unless they are sent in chunks', async () => {
  for (const accept of ['gzip', 'br']) {
    const large = await ask('/api/large', accept);
    assert.is(JSON.parse(plain(large)).length, 30_000);
    assert.is(Number(large.headers['content-length']), large.body.length);
    const huge = await ask('/api/huge', accept);
    assert.is(huge.headers['content-length'], undefined);
    assert.is(JSON.parse(plain(huge)).length, 3_000_000);
  }
});

for (const [path, vary] of [
  ['/api/off', undefined],
  ['/api/kept', undefined],
  ['/api/coded', undefined],
  ['/api/picture', undefined],
  ['/api/bogus', undefined],
  ['/api/empty', 'Accept-Encoding'],
  ['/api/events', undefined],
  ['/api/small', 'Accept-Encoding'],
  ['/tiny.js', 'Accept-Encoding'],
] as const)
  test(`does not compress ${path}`, async () => {
    const { headers } = await ask(path, 'gzip, br');
    assert.is(headers['content-encoding'], path === '/api/coded' ? 'x-own' : undefined);
    assert.is(headers.vary, vary);
  });

test('compresses a stream if its length is unknown or large enough', async () => {
  for (const [query, coding, length] of [
    ['count=100', 'gzip', undefined],
    ['count=1000&told=1', undefined, '1000'],
    ['count=2000&told=1', 'gzip', undefined],
  ] as const) {
    const answer = await ask(`/api/pieces?${query}`, 'gzip');
    const {
      'content-encoding': coded,
      'content-length': told,
      'transfer-encoding': chunked,
    } = answer.headers;
    assert.equal([coded, told, chunked], [coding, length, length ? undefined : 'chunked'], query);
    assert.is(plain(answer).length, Number(/\d+/.exec(query)), query);
  }
});

test('compresses bytes and texts', async () => {
  assert.is(plain(await ask('/api/bytes', 'br')), 'é'.repeat(5000));
});

test('adds Accept-Encoding to Vary unless it is there', async () => {
  assert.is((await ask('/api/vary', 'gzip')).headers.vary, 'Origin, accept-encoding');
  assert.is((await ask('/api/star', 'gzip')).headers.vary, '*');
});

test('a strong ETag becomes weak on a compressed body, and on its 304', async () => {
  assert.is((await ask('/api/tagged')).headers.etag, '"one"');
  assert.is((await ask('/api/tagged', 'gzip')).headers.etag, 'W/"one"');
  const headers = { 'if-none-match': 'W/"one"' };
  const again = await ask('/api/tagged', 'gzip', { headers });
  assert.equal([again.status, again.headers.etag, again.headers.vary], [304, 'W/"one"', 'Accept-Encoding']);
  assert.is((await ask('/api/tagged', undefined, { headers })).headers.etag, '"one"');
});

test('HEAD has the headers of GET except for a length that only compression determines', async () => {
  for (const path of ['/api/list', '/app.js', '/large.js']) {
    const { body, headers, status } = await ask(path, 'gzip', { method: 'HEAD' });
    assert.equal([status, body.length], [200, 0]);
    assert.equal(
      [headers['content-encoding'], headers.vary, headers['content-length']],
      ['gzip', 'Accept-Encoding', undefined],
    );
  }
  assert.is((await ask('/api/small', 'gzip', { method: 'HEAD' })).headers['content-length'], '14');
});

test('compresses files of public/ that are not compressed already', async () => {
  for (let time = 0; time < 2; time += 1) {
    const { headers, ...answer } = await ask('/app.js', 'gzip, br');
    assert.equal([headers['content-encoding'], headers.vary], ['br', 'Accept-Encoding']);
    assert.match(headers.etag ?? '', /^W\//);
    assert.is(plain({ headers, ...answer }), js.repeat(100));
  }
  const css = await ask('/app.css', 'gzip, br');
  assert.is(String(css.body), 'as brotli');
  assert.is(plain(await ask('/large.js', 'gzip')), js.repeat(8000));
});

test('concurrent requests compress a file once', async () => {
  const count = async () => Number((await ask('/api/compressed')).body);
  const before = await count();
  const all = await Promise.all(Array.from({ length: 6 }, () => ask('/once.js', 'gzip')));
  for (const answer of all) assert.is(plain(answer), js.repeat(4000));
  assert.is(await count(), before + 1);
});

test('a range refers to the uncompressed file', async () => {
  const part = await ask('/app.js', 'gzip', { headers: { range: 'bytes=0-5' } });
  assert.equal(
    [part.status, String(part.body), part.headers['content-encoding']],
    [206, 'export', undefined],
  );
  assert.is(part.headers.vary, 'Accept-Encoding');
  const { etag } = (await ask('/app.js', 'gzip')).headers;
  const whole = await ask('/app.js', 'gzip', { headers: { range: 'bytes=0-5', 'if-range': etag } });
  assert.is(whole.status, 200, 'a weak validator does not tell which bytes were there');
  assert.is((await ask('/app.js', 'gzip', { headers: { 'if-none-match': etag } })).status, 304);
});

test.run();
