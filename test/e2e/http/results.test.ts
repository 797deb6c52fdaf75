import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { middleware, module, postRoute, route } from '../../harness/source.js';

const IN_STORE = `import { AsyncLocalStorage } from 'node:async_hooks';
globalThis.store ??= new AsyncLocalStorage();
`;

const files: Files = {
  'middlewares/1.store.ts':
    IN_STORE +
    middleware(`(req, res, ctx, next) => {
         res.header('Content-Language', 'de').header('Content-Location', '/here');
         return globalThis.store.run(req.query.who ?? 'nobody', () => next());
       }`),
  'api/generator.get.ts': route(
    'async function* () { yield 1 + globalThis.store.getStore(); await null; yield globalThis.store.getStore(); }',
  ),
  'api/generator.post.ts': route('post', 'async function* () { yield String(globalThis.store.getStore()); }'),
  'api/head.get.ts': route(
    `(req, res) => { res.beforeHead(() => res.header('x-who', globalThis.store.getStore())); return {}; }`,
  ),
  'api/lost/[kind].ts': route(`(req) => ({
       map: () => new Map([['a', 1]]), set: () => new Set([1]), error: () => new Error('lost'),
       promise: () => ({ list: [{ later: Promise.resolve(1) }] }), buffer: () => new Uint8Array([104, 105]).buffer,
     })[req.params.kind]()`),
  'api/response.get.ts': route(
    `() => { throw new Response('thrown', { status: 418, headers: { 'x-own': '1' } }); }`,
  ),
  'api/cookies.get.ts': route(
    `(req, res) => { res.header('Set-Cookie', ['a=1', 'b=2']).header('X-List', ['a', 'b']); return {}; }`,
  ),
  'api/insecure.get.ts': route(`(req, res) => { res.cookie('a', '1', { sameSite: 'none' }); return {}; }`),
  'api/denied.get.ts': module('get, error', `export default get(() => { throw error(403, 'No'); });`),
  'api/parts.post.ts': postRoute(
    `async (req) => { const file = req.body.f; return [file.name, [...new Uint8Array(await file.arrayBuffer())], req.body.note]; }`,
  ),
};

served(files, (test, site) => {
  const { raw } = site;

  test('generators and beforeHead callbacks run in the AsyncLocalStorage of a middleware', async () => {
    assert.is((await raw('/api/generator?who=ann')).text, '1annann');
    assert.is((await raw('/api/generator?who=ann', { method: 'POST' })).text, 'ann');
    assert.is((await raw('/api/head?who=ann')).headers['x-who'], 'ann');
  });

  test('a result that JSON would change is a 500 that names the place', async () => {
    for (const kind of ['map', 'set', 'error', 'promise']) {
      const { status, text } = await raw(`/api/lost/${kind}`, { headers: { accept: 'application/json' } });
      assert.is(status, 500, kind);
      assert.match(text, 'FWK410');
      if (kind === 'promise') assert.match(text, 'list[0].later');
    }
    assert.is((await raw('/api/lost/buffer')).text, 'hi');
  });

  test('sends a thrown Response', async () => {
    const { status, text, headers } = await raw('/api/response');
    assert.equal([status, text, headers['x-own']], [418, 'thrown', '1']);
  });

  test('sends lists of header values', async () => {
    const { headers } = await raw('/api/cookies');
    assert.equal([headers['set-cookie'], headers['x-list']], [['a=1', 'b=2'], 'a, b']);
    assert.match((await raw('/api/insecure', { headers: { accept: 'application/json' } })).text, 'FWK413');
  });

  test('an error keeps Content-Language and Content-Location set by a middleware', async () => {
    const { headers } = await raw('/api/denied');
    assert.equal([headers['content-language'], headers['content-location']], ['de', '/here']);
  });

  test('a part with bytes and without a file name keeps its bytes', async () => {
    const head = '--b\r\nContent-Disposition: form-data; name=';
    const body = Buffer.concat([
      Buffer.from(`${head}"note"\r\nContent-Type: application/json\r\n\r\n{}\r\n`),
      Buffer.from(`${head}"f"\r\nContent-Type: application/octet-stream\r\n\r\n`),
      Buffer.from([0, 255, 254]),
      Buffer.from('\r\n--b--\r\n'),
    ]);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    assert.equal((await raw('/api/parts', { method: 'POST', body, headers })).json, [
      '',
      [0, 255, 254],
      '{}',
    ]);
  });
});
