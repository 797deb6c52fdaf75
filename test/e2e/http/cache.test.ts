import { once } from 'node:events';
import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { di, module } from '../../harness/source.js';

const cached = (handler: string, meta: string, names = 'get') =>
  module(names, `let runs = 0;\nexport default get(${handler}).meta({ cache: ${meta} });`);

const files = {
  'fwk.config.ts': `export default { cache: { maxSize: 200_000, maxEntry: 20_000 }, session: { secrets: '${'s'.repeat(40)}' } };`,
  'api/_middleware.js': module(
    'middleware, error',
    `let seen = 0;
     export default middleware(async (req, res, ctx, next) => {
       if (req.header('x-refused')) throw error(403, 'refused');
       res.header('x-seen', ++seen);
       const result = await next();
       res.header('x-after', 'set');
       return result;
     });`,
  ),
  'api/plain.get.js': cached(
    `(req, res) => { res.header('x-own', 'kept'); return { run: ++runs, q: req.query.q, agent: req.header('user-agent'), auth: req.header('authorization'), cookie: req.header('cookie'), ip: req.ip, host: req.url.host }; }`,
    '{ maxAge: 60 }',
  ),
  'api/vary.get.js': cached(
    `(req) => ({ run: ++runs, lang: req.header('accept-language') })`,
    `{ maxAge: 60, vary: ['Accept-Language'] }`,
  ),
  'api/pages.get.js': cached(
    `({ query, url, raw }) => ({ run: ++runs, query, all: url.searchParams.getAll('page'), raw: raw.url })`,
    `{ maxAge: 60, query: ['page', 'sort by'] }`,
  ),
  'api/no-query.get.js': cached(
    '({ url }) => ({ run: ++runs, search: url.search })',
    '{ maxAge: 60, query: [] }',
  ),
  'api/keyed-pages.get.js': cached(
    `({ query, cookies }) => ({ run: ++runs, query, who: cookies.who })`,
    `{ maxAge: 60, query: ['page'], key: ({ cookies }) => cookies.who ?? '' }`,
  ),
  'api/key.get.js': cached(
    `(req) => ({ run: ++runs, who: req.header('x-user') })`,
    `{ maxAge: 60, key: (req) => req.header('x-user') ?? '' }`,
  ),
  'api/cookie.get.js': cached(
    `(req, res) => { res.cookie('a', 'b'); return { run: ++runs }; }`,
    '{ maxAge: 60 }',
  ),
  'api/none.get.js': cached(
    `(req, res) => { res.header('Cache-Control', 'no-store'); return { run: ++runs }; }`,
    '{ maxAge: 60 }',
  ),
  'api/null.get.js': cached(`() => { runs++; return runs === 1 ? null : { runs }; }`, '{ maxAge: 60 }'),
  'api/throws.get.js': cached(
    `async () => { await globalThis.gate; throw error(409, { run: ++runs }); }`,
    '{ maxAge: 60 }',
    'get, error',
  ),
  'api/slow.get.js': cached(
    `async (req) => { runs++; await globalThis.gate; return { runs, aborted: req.signal.aborted }; }`,
    '{ maxAge: 60 }',
  ),
  'api/gate.post.js': module(
    'post',
    `export default post((req) => { if (req.query.open) globalThis.open(); else globalThis.gate = new Promise((resolve) => { globalThis.open = resolve; }); });`,
  ),
  'api/stale.get.js': cached(
    `() => { runs++; if (globalThis.failing) throw new Error('of the refresh'); return { runs }; }`,
    '{ maxAge: 0, swr: 60 }',
  ),
  'api/failing.post.js': module(
    'post',
    `export default post((req) => { globalThis.failing = req.query.on === '1'; });`,
  ),
  'api/tagged/[id].get.js': cached(
    `(req) => ({ run: ++runs, id: req.params.id })`,
    `{ maxAge: 60, tags: (req) => ['all', 'book:' + req.params.id] }`,
  ),
  'api/purge.post.js': module('post, purge', `export default post((req) => purge(req.query.tag));`),
  'api/large.get.js': cached(
    `() => (async function* () { runs++; for (let i = 0; i < 100; i++) yield String(runs).repeat(1000); })()`,
    '{ maxAge: 60 }',
  ),
  'api/grows.get.js': cached(
    `async (req, res) => { runs++; if (runs === 1) return 'small'; if (runs === 2) throw error(502, 'down'); if (runs === 3) return res.status(503).json('down'); globalThis.opened = (globalThis.opened ?? 0) + 1; return (async function* () { try { for (;;) yield 'x'.repeat(1000); } finally { globalThis.opened--; globalThis.dropped?.(); } })(); }`,
    '{ maxAge: 0, swr: 60 }',
    'get, error',
  ),
  'api/dropped.get.js': module(
    'get',
    `export default get(async () => { if (globalThis.opened !== 0) await new Promise((resolve) => { globalThis.dropped = resolve; }); return globalThis.opened; });`,
  ),
  'api/session.get.js': cached(`(req, res, ctx) => ctx.user`, '{ maxAge: 60 }'),
  'di/user.js': di('session', `() => null`),
  'di/visit.js': di(
    'request',
    `(ctx, { onDestroy }) => { const visit = { open: true }; onDestroy(() => { visit.open = false; }); return visit; }`,
  ),
  'api/scoped.get.js': cached(
    `async (req, res, ctx) => { const { visit } = ctx; await globalThis.gate; return { open: visit.open }; }`,
    '{ maxAge: 60 }',
  ),
  'web/page.js': module(
    'get, view',
    `let runs = 0; export default get(() => view('page', { run: ++runs })).meta({ cache: { maxAge: 60 } });`,
  ),
  'web/nonce.js': cached('(req, res) => res.nonce', '{ maxAge: 60 }'),
  'views/page.eta': '<p><%= it.run %></p>',
};

const test = suite('cache');
const ask = (path: string, headers: Sent['headers'] = {}, method = 'GET') =>
  served.raw(path, { headers, method });
const post = (path: string) => ask(path, {}, 'POST');
const served = await production(files);
test.after(() => served.stop());

test('computes a response once, and runs middlewares each time', async () => {
  const first = await ask('/api/plain');
  const second = await ask('/api/plain');
  assert.equal([first.status, first.text], [200, second.text]);
  assert.is(first.headers['content-type'], 'application/json');
  assert.is(second.headers['x-own'], 'kept');
  assert.is(second.headers['x-after'], 'set');
  assert.is(Number(second.headers['x-seen']), Number(first.headers['x-seen']) + 1);
  assert.is(second.headers['cache-control'], 'max-age=60');
  assert.is((await ask('/api/plain', { 'x-refused': '1' })).status, 403);
  const { etag = '' } = second.headers;
  assert.is((await ask('/api/plain', { 'if-none-match': etag })).status, 304);
  const head = await ask('/api/plain', {}, 'HEAD');
  assert.equal([head.status, head.text, head.headers.etag], [200, '', etag]);
  assert.is(Number(head.headers['content-length']), first.text.length);
  assert.equal([(await ask('/page')).text, (await ask('/page')).text], ['<p>1</p>', '<p>1</p>']);
});

test('the handler sees no data of a single visitor', async () => {
  const secret = { authorization: 'Bearer secret', cookie: 'session=secret', 'user-agent': 'own' };
  const first = await ask('/api/plain?q=whose', secret);
  assert.equal(first.json, { run: 2, q: 'whose', ip: '', host: new URL(served.url).host });
  assert.is(first.headers['cache-control'], 'private, max-age=60', 'a cache on the way runs no guards');
  assert.is((await ask('/api/plain?q=whose')).text, first.text);
});

test('another host, query or Vary header is another response', async () => {
  const other = await ask('/api/plain', { host: 'other.example' });
  assert.is((other.json as { host: string }).host, 'other.example');
  for (const lang of ['de', 'en', 'de']) {
    const { json, headers } = await ask('/api/vary', { 'accept-language': lang });
    assert.equal(json, { run: lang === 'de' ? 1 : 2, lang });
    assert.is(headers.vary, 'Accept-Language');
  }
});

test('only the parameters in query are part of the key, and the handler sees no others', async () => {
  const run = async (path: string, headers = {}) => (await ask(path, headers)).json as { run: number };
  const first = await run('/api/pages?utm=1&sort%20by=a%26b&page=2');
  assert.equal(first, {
    run: 1,
    query: { page: '2', 'sort by': 'a&b' },
    all: ['2'],
    raw: '/api/pages?page=2&sort+by=a%26b',
  });
  for (const same of [
    'page=2&sort+by=a%26b',
    'sort by=a%26b&page=2&x[]=1&__proto__=1',
    '&page=%32&&sort%20by=a%26b',
  ])
    assert.equal(await run(`/api/pages?${same.replace(' ', '%20')}`), first);
  // A name or a value that contains a separator is not another parameter.
  for (const [other, runs] of [
    ['page=2%26sort+by%3Da%2526b', 2],
    ['page=2&page=3&sort+by=a%26b', 3],
    ['page=', 4],
    ['Page=2', 5],
    ['', 5],
    ['page%00=2', 5],
  ] as const)
    assert.is((await run(`/api/pages?${other}`)).run, runs, other);
  assert.equal(await run('/api/no-query?a=1'), { run: 1, search: '' });
  assert.equal(await run('/api/no-query'), { run: 1, search: '' });
  assert.is((await ask(`/api/pages?${'a&'.repeat(1_001)}`)).status, 400);
  for (const [who, runs] of [
    ['ann', 1],
    ['bob', 2],
    ['ann', 1],
  ] as const)
    assert.equal(await run(`/api/keyed-pages?page=1&x=${runs}`, { cookie: `who=${who}` }), {
      run: runs,
      query: { page: '1' },
      who,
    });
});

test('with a key, the handler sees everything, and shared caches do not store the response', async () => {
  for (const [who, run] of [
    ['ada', 1],
    ['bob', 2],
    ['ada', 1],
  ] as const) {
    const { json, headers } = await ask('/api/key', { 'x-user': who });
    assert.equal(json, { run, who });
    assert.is(headers['cache-control'], 'private, max-age=60');
  }
});

test('does not store cookies, errors, null, no-store responses and large responses', async () => {
  for (const path of ['/api/cookie', '/api/none']) {
    assert.is((await ask(path)).text, '{"run":1}');
    assert.is((await ask(path)).text, '{"run":2}');
  }
  assert.is((await ask('/api/null')).status, 404);
  assert.is((await ask('/api/null')).text, '{"runs":2}');
  assert.equal(
    [await ask('/api/large'), await ask('/api/large')].map(({ text }) => text),
    ['1'.repeat(100_000), '2'.repeat(100_000)],
  );
});

test('reading a session or a nonce is an error that suggests a fix', async () => {
  assert.is((await ask('/api/session')).status, 500);
  assert.is((await ask('/nonce')).status, 500);
  await served.output.waitFor(
    /A nonce is valid for one response only, but the responses of web\/nonce\.js are cached\. Remove/,
  );
  await served.output.waitFor(
    /ctx\.user is a session value, but api\/session\.get\.js is cached for all visitors: give its cache a key/,
  );
});

test('concurrent requests share one computation, which outlives each client', async () => {
  await post('/api/gate');
  const first = http.get(`${served.url}/api/slow`).on('error', () => {});
  await once(first, 'socket');
  const second = ask('/api/slow');
  const scoped = http.get(`${served.url}/api/scoped`).on('error', () => {});
  await once(scoped, 'finish');
  await ask('/api/plain');
  first.destroy();
  scoped.destroy();
  await ask('/api/plain');
  const third = ask('/api/slow');
  const others = [ask('/api/throws'), ask('/api/throws')];
  await ask('/api/plain');
  await post('/api/gate?open=1');
  const expected = '{"runs":1,"aborted":false}';
  assert.equal([(await second).text, (await third).text], [expected, expected]);
  assert.is((await ask('/api/scoped')).text, '{"open":true}', 'its scope is its own');
  for (const { status, text } of await Promise.all(others)) assert.equal([status, text], [409, '{"run":1}']);
  assert.is((await ask('/api/throws')).text, '{"run":2}');
});

test('sends a stale response while it computes a new one, and keeps it if that fails', async () => {
  assert.is((await ask('/api/stale')).text, '{"runs":1}');
  assert.is((await ask('/api/stale')).text, '{"runs":1}');
  let text = '{"runs":1}';
  while (text === '{"runs":1}') ({ text } = await ask('/api/stale'));
  await post('/api/failing?on=1');
  await ask('/api/stale');
  await served.output.waitFor(/GET \/api\/stale could not be recomputed:.*[\s\S]*of the refresh/);
  const kept = await ask('/api/stale');
  assert.is(kept.status, 200);
  assert.is(kept.headers['cache-control'], 'max-age=0, stale-while-revalidate=60');
  await post('/api/failing');
});

test('drops a recomputed response that cannot be stored, and the old one unless the computation failed', async () => {
  for (let asked = 0; asked < 4; asked += 1) {
    assert.is((await ask('/api/grows')).text, '"small"');
    await ask('/api/plain');
  }
  assert.is((await ask('/api/dropped')).text, '0', 'a stream that nobody reads is open');
  const next = http.get(`${served.url}/api/grows`).on('error', () => {});
  assert.is((await once(next, 'response'))[0].headers['transfer-encoding'], 'chunked', 'another one');
  next.destroy();
});

test('purges by tag', async () => {
  const run = async (id: number) => ((await ask(`/api/tagged/${id}`)).json as { run: number }).run;
  assert.equal([await run(1), await run(2), await run(1)], [1, 2, 1]);
  await post('/api/purge?tag=book:1');
  assert.equal([await run(1), await run(2)], [3, 2]);
  await post('/api/purge?tag=all');
  assert.equal([await run(1), await run(2)], [4, 5]);
});

test('a client cannot fill the memory', async () => {
  const { run } = (await ask('/api/plain?q=oldest')).json as { run: number };
  for (let index = 0; index < 400; index += 1) await ask(`/api/plain?q=${index}`);
  assert.not.equal(((await ask('/api/plain?q=oldest')).json as { run: number }).run, run);
});

test.run();
