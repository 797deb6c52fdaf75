import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sent } from '../../harness/http.js';
import { type Production, production } from '../../harness/production.js';
import { module, route } from '../../harness/source.js';

const files = {
  'api/files/[...path].get.js': route('get, file', `(req) => file(req.params.path, { root: 'files' })`),
  'api/raw.get.js': route('get, file', `(req) => file(req.query.path, { root: 'files' })`),
  'api/_middleware.js': module(
    'middleware, isHttpError',
    `export default middleware(async (req, res, ctx, next) => {
       try { const result = await next(); res.header('x-after', typeof result); return result; }
       catch (thrown) { res.header('x-seen', isHttpError(thrown) ? thrown.status : 'none'); throw thrown; }
     });`,
  ),
  'api/save.get.js': route(
    'get, file',
    `(req) => file('ten.txt', { root: 'files', download: req.query.as ?? true })`,
  ),
  'api/kept.get.js': route(
    'get, file',
    `() => file('ten.txt', { root: 'files', maxAge: 60, type: 'text/x-own' })`,
  ),
  'api/own.get.js': route(
    'get, file',
    `(req, res) => { res.header('Cache-Control', 'public, max-age=5').type('x/y'); return file(req.query.path ?? 'ten.txt', { root: 'files' }); }`,
  ),
  'api/made.post.js': route(
    'post, file',
    `async (req, res) => { res.status(201); return file('ten.txt', { root: 'files' }); }`,
  ),
  'api/either.get.js': module(
    'get, file',
    `const response = { '~standard': { version: 1, vendor: 'test', validate: (value) => value === 1 ? { value } : { issues: [{ message: 'not 1' }] } } };
     export default get({ response }, async (req) => req.query.value ? Number(req.query.value) : file('ten.txt', { root: 'files' }));`,
  ),
  'api/mistake.get.js': route('get, file', `(req) => file('ten.txt', JSON.parse(req.query.options))`),
  'web/page.js': route('get, file', `() => file('page.html', { root: 'files/inner' })`),
  'files/ten.txt': '0123456789',
  'files/app.js': 'original();',
  'files/app.js.br': 'as brotli',
  'files/app.js.zst': 'as zstd',
  'files/.secret': 'secret',
  'files/inner/page.html': '<p>page</p>',
  'outside.txt': 'secret',
};

const test = suite('files from handlers');
let served: Production;
let ask: (path: string, headers?: Sent['headers'], method?: string) => ReturnType<Production['raw']>;
test.before(async () => {
  served = await production(files, (made) => {
    symlinkSync('../outside.txt', made.path('files/link-out'));
    symlinkSync('ten.txt', made.path('files/link-in'));
    symlinkSync('.secret', made.path('files/link-hidden'));
  });
  ask = (path, headers = {}, method = 'GET') => served.raw(path, { headers, method });
});
test.after(() => served.stop());

test('a file has its type, validators and ranges', async () => {
  const { status, headers, text } = await ask('/api/files/ten.txt');
  assert.equal([status, text, headers['content-type']], [200, '0123456789', 'text/plain; charset=utf-8']);
  assert.equal([headers['accept-ranges'], headers['content-length']], ['bytes', '10']);
  assert.is(headers['cache-control'], 'private, no-cache');
  assert.is(headers['x-after'], 'object', 'middlewares run around it, and their headers are sent');
  const { etag = '', 'last-modified': modified = '' } = headers;
  assert.is((await ask('/api/files/ten.txt', { 'if-none-match': etag })).status, 304);
  assert.is((await ask('/api/files/ten.txt', { 'if-modified-since': modified })).status, 304);
  assert.is((await ask('/api/files/ten.txt', { 'if-match': '"other"' })).status, 412);
  const part = await ask('/api/files/ten.txt', { range: 'bytes=2-4' });
  assert.equal([part.status, part.text, part.headers['content-range']], [206, '234', 'bytes 2-4/10']);
  assert.is((await ask('/api/files/ten.txt', { range: 'bytes=50-' })).status, 416);
  const head = await ask('/api/files/ten.txt', {}, 'HEAD');
  assert.equal([head.status, head.text, head.headers['content-length']], [200, '', '10']);
  assert.is((await ask('/page')).text, '<p>page</p>');
});

test('a changed file is sent again', async () => {
  const path = served.project.path('files/inner/changing.txt');
  for (const text of ['one', 'two']) {
    writeFileSync(path, text);
    utimesSync(path, 1, text.charCodeAt(0));
    assert.is((await ask('/api/files/inner/changing.txt')).text, text);
  }
});

test('sends precompressed variants that the client accepts', async () => {
  for (const [accept, text, coding] of [
    ['br, zstd', 'as brotli', 'br'],
    ['br;q=0.1, zstd', 'as zstd', 'zstd'],
    ['gzip', 'original();', undefined],
  ] as const) {
    const answer = await ask('/api/files/app.js', { 'accept-encoding': accept });
    assert.equal([answer.text, answer.headers['content-encoding']], [text, coding]);
    assert.is(answer.headers.vary, 'Accept-Encoding');
  }
});

for (const path of [
  '../outside.txt',
  'inner/../../outside.txt',
  '..%2foutside.txt',
  '..%5coutside.txt',
  '%2fetc%2fpasswd',
  '.secret',
  'link-out',
  'link-hidden',
  'ten.txt%00.html',
  'ten.txt/',
  'inner',
  'inner%2f%2fpage.html',
  'inner%2f.%2fpage.html',
  'nothing.txt',
  `${'x'.repeat(5000)}`,
  '',
])
  test(`404: ${JSON.stringify(path.slice(0, 40))}`, async () => {
    const { status, headers, text } = await ask(`/api/raw?path=${path}`);
    assert.equal([status, headers['x-seen']], [404, '404'], text);
    assert.not.match(text, 'secret');
  });

test('follows a link inside of the root', async () => {
  assert.is((await ask('/api/raw?path=link-in')).text, '0123456789');
});

for (const [as, expected] of [
  [undefined, 'attachment; filename="ten.txt"'],
  ['report 1.pdf', 'attachment; filename="report 1.pdf"'],
  ['€ "rates".txt', `attachment; filename="_ _rates_.txt"; filename*=UTF-8''%E2%82%AC%20%22rates%22.txt`],
  ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"`],
  [
    'naïve\r\nX-Own: 1',
    `attachment; filename="na_ve__X-Own: 1"; filename*=UTF-8''na%C3%AFve%0D%0AX-Own%3A%201`,
  ],
  ['../../etc/passwd', 'attachment; filename="passwd"'],
] as const)
  test(`download name ${JSON.stringify(as)}`, async () => {
    const path = as === undefined ? '/api/save' : `/api/save?as=${encodeURIComponent(as)}`;
    const { status, headers } = await ask(path);
    assert.equal([status, headers['content-disposition']], [200, expected]);
  });

test('maxAge and type apply, and headers of the handler take precedence', async () => {
  const kept = await ask('/api/kept');
  assert.equal(
    [kept.headers['cache-control'], kept.headers['content-type']],
    ['private, max-age=60', 'text/x-own'],
  );
  const own = await ask('/api/own');
  assert.equal([own.headers['cache-control'], own.headers['content-type']], ['public, max-age=5', 'x/y']);
});

test('an error instead of the file is not cached like the file', async () => {
  for (const [path, headers, expected] of [
    ['/api/own?path=none.txt', {}, 404],
    ['/api/own', { 'if-match': '"other"' }, 412],
    ['/api/own', { range: 'bytes=50-' }, 416],
  ] as const) {
    const answer = await ask(path, headers);
    assert.equal([answer.status, answer.headers['cache-control']], [expected, undefined]);
  }
});

test('a condition applies beside Cache-Control: no-cache, which fetch adds', async () => {
  const { headers } = await ask('/api/files/ten.txt');
  for (const condition of [
    { 'if-none-match': headers.etag ?? '' },
    { 'if-modified-since': headers['last-modified'] ?? '' },
  ])
    assert.is((await ask('/api/files/ten.txt', { ...condition, 'cache-control': 'no-cache' })).status, 304);
});

test('methods other than GET ignore conditions and ranges', async () => {
  const { etag = '' } = (await ask('/api/files/ten.txt')).headers;
  const { status, text } = await ask('/api/made', { range: 'bytes=0-1', 'if-none-match': etag }, 'POST');
  assert.equal([status, text], [201, '0123456789']);
});

test('a response schema ignores files', async () => {
  assert.equal(
    [(await ask('/api/either?value=1')).text, (await ask('/api/either?value=2')).status],
    ['1', 500],
  );
  const sent = await ask('/api/either', { range: 'bytes=0-1' });
  assert.equal([sent.status, sent.text], [206, '01']);
});

test('an invalid option of file() is a 500 that names it', async () => {
  for (const [options, sentence] of [
    [{}, /needs the directory that contains the file/],
    [{ root: '.', maxage: 1 }, /has no option \\?"maxage\\?". The options are root, download, maxAge, type/],
    [{ root: '.', maxAge: -1 }, /takes a whole number of seconds as maxAge, not -1/],
    [{ root: '.', download: 5 }, /takes true, false or a name as download/],
  ] as const) {
    const path = `/api/mistake?options=${encodeURIComponent(JSON.stringify(options))}`;
    assert.is((await ask(path)).status, 500);
    await served.output.waitFor(sentence);
  }
});

test.run();
