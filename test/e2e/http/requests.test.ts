import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { servedBothWays } from '../../harness/served.js';
import { route } from '../../harness/source.js';

const files: Files = {
  'api/params/[id]/[name].ts': route(
    `(req) => ({ params: { ...req.params }, types: Object.values(req.params).map((value) => typeof value) })`,
  ),
  'api/query.ts': route(
    `(req) => ({ query: { ...req.query }, all: req.url.searchParams.getAll('tag'), missing: typeof req.query.missing })`,
  ),
  'api/plain/[id].ts': route(
    `(req) => [req.params, req.query].map((object) => [Object.getPrototypeOf(object) === null, 'toString' in object])`,
  ),
  'api/url.ts': route(
    'all',
    `(req) => ({ standard: req.url instanceof URL, href: req.url.href, path: req.path, method: req.method })`,
  ),
  'api/cookies.ts': route('get', '(req) => ({ ...req.cookies })'),
  'api/headers.ts': route(
    `(req) => [req.header('X-Thing'), req.header('x-thing'), req.headers['x-thing'], typeof req.header('x-none')]`,
  ),
  'api/who.ts': route('get', '(req) => ({ ip: req.ip, id: req.id })'),
  'api/raw.ts': route(`(req, res) => { res.raw.setHeader('x-raw', req.raw.headers['x-thing']); return {}; }`),
};

servedBothWays(files, (test, site) => {
  const json = async (path: string, headers = {}) => (await site.raw(path, { headers })).json;

  test('params are strings', async () => {
    for (const [id, name] of [
      ['007', '1e3'],
      ['true', 'null'],
      ['-1.5', 'undefined'],
      ['[]', '{}'],
    ] as const) {
      const path = `/api/params/${encodeURIComponent(id)}/${encodeURIComponent(name)}`;
      assert.equal(await json(path), { params: { id, name }, types: ['string', 'string'] });
    }
  });

  test('query has the first value of a key, and url has all of them', async () => {
    assert.equal(await json('/api/query?tag=a&tag=b&n=1&empty=&bare&sp=a+b%20c&%C3%A9=%C3%A9&tag='), {
      query: { tag: 'a', n: '1', empty: '', bare: '', sp: 'a b c', é: 'é' },
      all: ['a', 'b', ''],
      missing: 'undefined',
    });
    assert.equal(await json('/api/query'), { query: {}, all: [], missing: 'undefined' });
  });

  test('an unusually encoded query is no error', async () => {
    assert.is((await site.raw('/api/query?a=%zz&%=%&&=&?=?')).status, 200);
  });

  test('params and query have no prototype', async () => {
    assert.equal(await json('/api/plain/1?a=1'), [
      [true, false],
      [true, false],
    ]);
    assert.equal(await json('/api/plain/__proto__?__proto__=1&constructor=2'), [
      [true, false],
      [true, false],
    ]);
  });

  test('url is a standard URL, and path and method are strings', async () => {
    const href = `${site.dev.url}/api/url?a=1`;
    assert.equal(await json('/api/url?a=1'), { standard: true, href, path: '/api/url', method: 'GET' });
    assert.equal(await json('/api/url', { host: 'example:81' }), {
      standard: true,
      href: 'http://example:81/api/url',
      path: '/api/url',
      method: 'GET',
    });
  });

  test('cookies are parsed, and the first one of a name wins', async () => {
    assert.equal(await json('/api/cookies', { cookie: 'a=1; b=%C3%A9; a=2; broken; d=%zz' }), {
      a: '1',
      b: 'é',
      d: '%zz',
    });
    assert.equal(await json('/api/cookies'), {});
  });

  test('header names are case-insensitive', async () => {
    assert.equal(await json('/api/headers', { 'X-THING': 'yes' }), ['yes', 'yes', 'yes', 'undefined']);
  });

  test('ip is the address of the socket, and every request has its own ID', async () => {
    const [one, two] = (await Promise.all([
      json('/api/who', { 'x-forwarded-for': '6.6.6.6' }),
      json('/api/who'),
    ])) as { ip: string; id: string }[];
    assert.match(one?.ip ?? '', /^(::1|(::ffff:)?127\.0\.0\.1)$/);
    assert.match(one?.id ?? '', /^\S{8,}$/);
    assert.is.not(one?.id, two?.id);
  });

  test('raw is the request object of Node', async () => {
    assert.is((await site.raw('/api/raw', { headers: { 'x-thing': 'x' } })).headers['x-raw'], 'x');
  });
});
