import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { servedBothWays } from '../../harness/served.js';
import { module, postRoute, route } from '../../harness/source.js';

const mebibyte = 1024 * 1024;

const files: Files = {
  'api/body.ts': route('all', '(req) => ({ type: typeof req.body, body: req.body })'),
  'api/bytes.post.ts': postRoute(
    `(req) => ({ bytes: req.body instanceof Uint8Array, hex: Buffer.from(req.body).toString('hex') })`,
  ),
  'api/size.post.ts': route('post', '(req) => ({ size: req.body.length })'),
  'api/small.post.ts': module(
    'post',
    'export default post((req) => ({ size: req.body.length })).meta({ bodyLimit: 10 });',
  ),
  'api/huge.post.ts': module('post', 'export default post(() => 1).meta({ bodyLimit: 2 ** 32 });'),
  'api/keys.post.ts': postRoute(`(req) => {
       const keys = (value) =>
         value && typeof value === 'object'
           ? Object.getOwnPropertyNames(value).flatMap((key) => [key, ...keys(value[key])])
           : [];
       return { keys: keys(req.body), admin: String(req.body?.admin ?? req.body?.a?.admin), global: String({}.admin) };
     }`),
};

servedBothWays(files, (test, site) => {
  const post = (path: string, type: string | undefined, body: string | Buffer) =>
    site.raw(path, { method: 'POST', body, headers: type ? { 'content-type': type } : {} });

  const parsed: readonly (readonly [string, string, unknown])[] = [
    ['application/json', '{"a":{"b":[1,null]},"é":"é"}', { a: { b: [1, null] }, é: 'é' }],
    ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['Application/JSON', '[1,2]', [1, 2]],
    ['application/vnd.api+json', '{"a":1}', { a: 1 }],
    ['application/json', '"text"', 'text'],
    ['application/json', 'null', null],
    ['application/json', '0', 0],
    ['application/x-www-form-urlencoded', 'a=1&b=x+y&c=%C3%A9&d=', { a: '1', b: 'x y', c: 'é', d: '' }],
    ['application/x-www-form-urlencoded', 'tag=a&tag=b&one=1&tag=c', { tag: ['a', 'b', 'c'], one: '1' }],
    ['text/plain', 'some é text', 'some é text'],
    ['text/csv; charset=utf-8', 'a,b\n', 'a,b\n'],
  ];
  for (const [type, text, body] of parsed) {
    test(`${type}: ${text}`, async () => {
      const answer = await post('/api/body', type, text);
      assert.is(answer.status, 200);
      assert.equal((answer.json as { body: unknown }).body, body);
    });
  }

  test('other types, and bodies without a type, are bytes', async () => {
    for (const type of ['application/octet-stream', 'image/png', undefined]) {
      const answer = await post('/api/bytes', type, Buffer.from([0, 255, 128]));
      assert.equal(answer.json, { bytes: true, hex: '00ff80' });
    }
  });

  test('a missing body is undefined', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      assert.equal((await site.raw('/api/body', { method })).json, { type: 'undefined' }, method);
    }
    assert.equal((await post('/api/body', undefined, '')).json, { type: 'undefined' });
  });

  test('a chunked body is joined', async () => {
    const connection = await connect(site.dev.url);
    connection.send(
      'POST /api/body HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (const piece of ['{"a', '":"\xc3', '\xa9"}']) {
      connection.send(Buffer.from(`${piece.length.toString(16)}\r\n${piece}\r\n`, 'latin1'));
    }
    connection.send('0\r\n\r\n');
    const text = await connection.rest();
    assert.match(Buffer.from(text, 'latin1').toString(), '"body":{"a":"é"}');
  });

  test('rejects invalid JSON with 400 and a problem document', async () => {
    for (const text of ['{', '{"a":1,}', 'undefined', '{"a":1} x', "{'a':1}"]) {
      const answer = await post('/api/body', 'application/json', text);
      assert.is(answer.status, 400, text);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/);
      assert.match((answer.json as { message: string }).message, /JSON/);
    }
  });

  test('prototype keys never reach a handler', async () => {
    const evil = [
      ['application/json', '{"__proto__":{"admin":true},"x":1}'],
      ['application/json', '{"a":{"__proto__":{"admin":true}},"x":1}'],
      ['application/json', '[{"\\u005f_proto__":{"admin":true}}]'],
      ['application/json', '{"constructor":{"prototype":{"admin":true}},"x":1}'],
      ['application/merge-patch+json', '{"__proto__":{"admin":true}}'],
      ['application/x-www-form-urlencoded', '__proto__=x&x=1'],
      ['application/x-www-form-urlencoded', '__proto__[admin]=true&__proto__=1&__proto__=2'],
    ] as const;
    for (const [type, text] of evil) {
      const { status, json } = await post('/api/keys', type, text);
      if (status === 400) continue;
      const { keys, admin, global } = json as { keys: string[]; admin: string; global: string };
      assert.is(status, 200, text);
      assert.not.ok(keys.includes('__proto__') || keys.includes('prototype'), `${text}: ${keys}`);
      assert.equal([admin, global], ['undefined', 'undefined'], text);
    }
  });

  test('keeps keys that only resemble prototype keys', async () => {
    const text = '{"proto":1,"constructor":"x","text":"__proto__"}';
    assert.equal((await post('/api/body', 'application/json', text)).json, {
      type: 'object',
      body: JSON.parse(text),
    });
  });

  test('accepts a body of exactly the limit', async () => {
    assert.equal((await post('/api/size', 'text/plain', 'x'.repeat(mebibyte))).json, { size: mebibyte });
  });

  test('a route can set its own limit', async () => {
    assert.is((await post('/api/small', 'text/plain', 'x'.repeat(10))).status, 200);
    assert.is((await post('/api/small', 'text/plain', 'x'.repeat(11))).status, 413);
  });

  // The body looks like a series of requests, which would be answered if the body were left half read.
  const smuggled = 'GET /api/body HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const big = smuggled.repeat(Math.ceil((2 * mebibyte) / smuggled.length));
  const head = 'POST /api/size HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n';
  for (const [name, text] of [
    ['with Content-Length', `${head}Content-Length: ${big.length}\r\n\r\n${big}`],
    [
      'in chunks',
      `${head}Transfer-Encoding: chunked\r\n\r\n${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`,
    ],
  ] as const) {
    test(`rejects a body over 1 MiB ${name} with 413 and leaves a clean connection or none`, async () => {
      const connection = await connect(site.dev.url);
      connection.send(text);
      const refused = await connection.read(/^HTTP\/1\.1 \d+ [\s\S]*?\r\n\r\n/);
      assert.match(refused, /^HTTP\/1\.1 413 /);
      connection.send('GET /api/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const rest = await connection.rest();
      const statuses = [...(refused + rest).matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1]);
      assert.ok(['413', '413 404'].includes(statuses.join(' ')), statuses.join(' '));
      assert.is((await post('/api/size', 'text/plain', 'next')).status, 200);
    });
  }

  for (const [name, path, length] of [
    ['the limit', 'size', 8 * mebibyte],
    ['the longest text of Node', 'huge', 600 * mebibyte],
  ] as const)
    test(`rejects an announced length over ${name} with 413 immediately`, async () => {
      const connection = await connect(site.dev.url);
      const expecting = `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
      connection.send(head.replace('size', path) + expecting);
      const text = await connection.read(/HTTP\/1\.1 [2-5]\d\d /);
      connection.close();
      assert.match(text, /(^|\r\n)HTTP\/1\.1 413 /);
    });
});
