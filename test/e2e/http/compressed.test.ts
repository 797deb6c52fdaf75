import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import * as assert from 'uvu/assert';
import { spawnDev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { field, file, written } from '../../harness/multipart.js';
import { pipelined } from '../../harness/pipelined.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

const mebibyte = 1024 * 1024;

const hashing = `async (req) => {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of req.body) { hash.update(chunk); size += chunk.length; }
  return { size, hash: hash.digest('hex') };
}`;

const files: Files = {
  'api/body.post.ts': route('post', '(req) => ({ body: req.body })'),
  'api/size.post.ts': route('post', '(req) => ({ size: req.body.length })'),
  'api/small.post.ts': module(
    'post',
    'export default post((req) => ({ size: req.body.length })).meta({ bodyLimit: 20 });',
  ),
  'api/memory.get.ts': route('get', '() => ({ pid: process.pid, peak: process.resourceUsage().maxRSS })'),
  'api/stream.post.ts': module(
    'post',
    `import { createHash } from 'node:crypto';\nexport default post(${hashing}).meta({ body: 'stream' });`,
  ),
  'api/limited.post.ts': module(
    'post',
    `import { createHash } from 'node:crypto';\nexport default post(${hashing}).meta({ body: 'stream', bodyLimit: 5000 });`,
  ),
  'api/parts.post.ts': module(
    'post',
    `export default post(async (req) => {
       const names = [];
       for await (const part of req.body) names.push(part.name);
       return names;
     }).meta({ body: 'stream' });`,
  ),
};

const { zstdCompressSync } = zlib as typeof zlib & { zstdCompressSync?: (bytes: Buffer) => Buffer };

const compress: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  'x-gzip': (bytes) => zlib.gzipSync(bytes),
  GZIP: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  identity: (bytes) => bytes,
  ...(zstdCompressSync ? { zstd: zstdCompressSync } : {}),
};

served(files, (test, site) => {
  const post = (path: string, encoding: string, type: string, body: Buffer) =>
    site.raw(path, {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'content-encoding': encoding },
    });

  for (const [encoding, pack] of Object.entries(compress)) {
    test(`decodes ${encoding} before parsing the body`, async () => {
      const json = await post('/api/body', encoding, 'application/json', pack(Buffer.from('{"é":["é"]}')));
      assert.equal([json.status, json.json], [200, { body: { é: ['é'] } }]);
      const form = await post(
        '/api/body',
        encoding,
        'application/x-www-form-urlencoded',
        pack(Buffer.from('a=1&a=2')),
      );
      assert.equal(form.json, { body: { a: ['1', '2'] } });
      const multipart = written(field('a', '1'));
      const parts = await post('/api/body', encoding, multipart.type, pack(multipart.body));
      assert.equal(parts.json, { body: { a: '1' } });
    });

    test(`${encoding}: the limit applies to the decoded size`, async () => {
      const exact = await post(
        '/api/small',
        encoding,
        'text/plain',
        pack(Buffer.from(randomBytes(10).toString('hex'))),
      );
      assert.equal([exact.status, exact.json], [200, { size: 20 }]);
      const over = await post('/api/small', encoding, 'text/plain', pack(Buffer.from('x'.repeat(21))));
      assert.is(over.status, 413);
      assert.match(over.text, /larger than the limit of 20 bytes/);
    });
  }

  test('rejects prototype keys and invalid JSON as in plain bodies', async () => {
    const bad = await post('/api/body', 'gzip', 'application/json', zlib.gzipSync('{'));
    assert.is(bad.status, 400);
    assert.match(bad.text, /JSON/);
    const evil = await post(
      '/api/body',
      'gzip',
      'application/json',
      zlib.gzipSync('{"__proto__":{"a":1},"b":1}'),
    );
    assert.equal(evil.json, { body: { b: 1 } });
  });

  test('stops a zip bomb early', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(192 * mebibyte), { level: 1 });
    // The decompression bomb alone determines the peak of this process.
    const server = await spawnDev(site.project);
    const peak = async () =>
      ((await request(server.url, '/api/memory')).json as { readonly peak: number }).peak;
    const before = await peak();
    const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
    const answer = await request(server.url, '/api/size', { method: 'POST', body: bomb, headers });
    assert.is(answer.status, 413);
    const after = await peak();
    await server.stop();
    // In KiB.
    assert.ok(after - before < 64 * 1024, `${before} to ${after}`);
  });

  test('rejects bytes that do not decompress with 400', async () => {
    for (const [encoding, pack] of Object.entries(compress)) {
      if (encoding === 'identity') continue;
      const whole = pack(Buffer.from('x'.repeat(1000)));
      for (const body of [Buffer.from('this is no compression'), whole.subarray(0, -3)]) {
        const answer = await post('/api/body', encoding, 'text/plain', body);
        assert.is(answer.status, 400, answer.text);
        assert.match((answer.json as { message: string }).message, /^The body is not valid [\w-]+: /);
      }
    }
  });

  test('rejects an unknown encoding with 415 and lists the supported ones', async () => {
    for (const encoding of ['compress', 'rot13', 'constructor', 'gzip, br', 'gzip, gzip']) {
      for (const path of ['/api/body', '/api/stream']) {
        const answer = await post(path, encoding, 'text/plain', Buffer.from('x'));
        assert.is(answer.status, 415, encoding);
        assert.match(String(answer.headers['accept-encoding']), /^gzip, deflate, br(, zstd)?$/);
        assert.ok(answer.text.includes(encoding.includes(',') ? 'more than one' : encoding), answer.text);
      }
    }
  });

  test('the connection is clean after a zip bomb or malformed data', async () => {
    const junk = 'POST /api/body HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10_000);
    for (const [body, status, encoding = 'gzip'] of [
      [Buffer.from(junk), 400],
      [Buffer.concat([zlib.gzipSync(Buffer.alloc(2 * mebibyte)), Buffer.from(junk)]), 413],
      [Buffer.concat([zlib.gzipSync('{"a":1}'), Buffer.from(junk)]), 400],
      [Buffer.concat([zlib.deflateSync('{"a":1}'), Buffer.from(junk)]), 200, 'deflate'],
      [Buffer.concat([zlib.brotliCompressSync('{"a":1}'), Buffer.from(junk)]), 200, 'br'],
    ] as const) {
      const sent = { type: 'application/json', body };
      const header = `Content-Encoding: ${encoding}\r\n`;
      assert.equal(await pipelined(site.dev.url, '/api/body', sent, header), [status, 404]);
    }
  });

  test('decodes a stream, without a limit unless the route has one', async () => {
    const content = randomBytes(1.2 * mebibyte);
    const plain = await post('/api/stream', 'identity', 'text/plain', content);
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const body = compress[encoding]?.(content) ?? content;
      assert.equal((await post('/api/stream', encoding, 'text/plain', body)).json, plain.json, encoding);
    }
    assert.is(
      (await post('/api/limited', 'gzip', 'text/plain', zlib.gzipSync(content.subarray(0, 5000)))).status,
      200,
    );
    const over = await post('/api/limited', 'gzip', 'text/plain', zlib.gzipSync(Buffer.alloc(5001)));
    assert.equal([over.status, /larger than the limit of 5000 bytes/.test(over.text)], [413, true]);
    const broken = await post('/api/stream', 'gzip', 'text/plain', zlib.gzipSync(content).subarray(0, -5));
    assert.equal([broken.status, /not valid gzip/.test(broken.text)], [400, true]);
  });

  test('decodes a streamed form', async () => {
    const { type, body } = written(field('a', '1'), file('b', 'b', Buffer.alloc(2 * mebibyte)));
    assert.equal((await post('/api/parts', 'gzip', type, zlib.gzipSync(body))).json, ['a', 'b']);
  });
});
