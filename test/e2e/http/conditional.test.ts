import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// ETag and Last-Modified that a handler sets, and the 304 they make (RFC 9110 §13).

const modified = 'Wed, 21 Oct 2015 07:28:00 GMT';
const etag = (value: string, rest: string) =>
  route('get', `(req, res) => { res.header('ETag', '${value}')${rest} }`);

const files: Files = {
  'views/page.eta': '<p>page</p>',
  'api/strong.ts': etag('"v1"', `.header('Vary', 'Accept').cookie('a', '1'); return { a: 1 };`),
  'api/weak.ts': etag('W/"v1"', `; return 'text';`),
  'api/dated.ts': route(
    `(req, res) => { res.header('last-modified', '${modified}').header('Cache-Control', 'max-age=5'); return 1; }`,
  ),
  'api/both.ts': etag('"v1"', `.header('Last-Modified', '${modified}'); return 1;`),
  'api/encoded.ts': etag(
    '"v1"',
    `.header('Content-Encoding', 'x').header('Content-Language', 'de').header('Content-Location', '/l').type('text'); return 'x';`,
  ),
  'api/created.ts': etag('"v1"', '.status(201); return 1;'),
  'api/posted.ts': route('post', `(req, res) => { res.header('ETag', '"v1"'); return 1; }`),
  'api/none.ts': route('get', '() => ({ a: 1 })'),
  'api/null.ts': etag('"v1"', '; return null;'),
  'api/thrown.ts': route(
    'get, error',
    `(req, res) => { res.header('ETag', '"v1"'); throw error(410, 'gone'); }`,
  ),
  'api/kept.ts': route(
    'get, error',
    `(req, res) => {
      res.header('Cache-Control', req.header('x-said')).header('Expires', '${modified}');
      throw error(404, 'none');
    }`,
  ),
  'api/bytes.ts': etag('"v1"', '; return Buffer.from("x");'),
  'api/response.ts': route('get', `() => new Response('x', { headers: { etag: '"v1"', 'x-own': '1' } })`),
  'api/stream.ts': etag(
    '"v1"',
    `; return (async function* () { try { console.log('[read]'); yield 'x'; } finally { console.log('[ended]'); } })();`,
  ),
  'api/send.ts': etag('"v1"', `; res.send('x');`),
  'web/page.ts': route('get, view', `(req, res) => { res.header('ETag', '"v1"'); return view('page'); }`),
};

served(files, (test, site) => {
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    site.raw(path, { method, headers });
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

  test('If-None-Match is compared weakly, in lists, and with *', async () => {
    for (const path of ['/api/strong', '/api/weak'])
      for (const [value, expected] of [
        ['"v1"', 304],
        ['W/"v1"', 304],
        ['"v0", W/"v1" , "v2"', 304],
        ['*', 304],
        ['"v2"', 200],
        ['"v0", "v2"', 200],
        ['v1', 200],
        ['', 200],
      ] as const)
        assert.is(await status(path, { 'if-none-match': value }), expected, `${path} ${value}`);
  });

  test('a 304 has the headers of the 200 without its body', async () => {
    const full = await ask('/api/strong', {});
    const { headers, text } = await ask('/api/strong', { 'if-none-match': '"v1"' });
    assert.is(text, '');
    for (const name of ['etag', 'vary', 'set-cookie']) assert.equal(headers[name], full.headers[name], name);
    for (const name of ['content-type', 'content-length']) assert.is(headers[name], undefined, name);
    const encoded = (await ask('/api/encoded', { 'if-none-match': '"v1"' })).headers;
    assert.is(encoded['content-location'], '/l');
    for (const name of ['content-encoding', 'content-language', 'content-type'])
      assert.is(encoded[name], undefined, name);
  });

  test('If-Modified-Since', async () => {
    for (const [date, expected] of [
      [modified, 304],
      ['Wed, 21 Oct 2015 07:28:01 GMT', 304],
      ['Wed, 21 Oct 2015 07:27:59 GMT', 200],
      ['no date', 200],
    ] as const)
      assert.is(await status('/api/dated', { 'if-modified-since': date }), expected, date);
    const { headers } = await ask('/api/dated', { 'if-modified-since': modified });
    assert.equal([headers['last-modified'], headers['cache-control']], [modified, 'max-age=5']);
    assert.is(await status('/api/strong', { 'if-modified-since': modified }), 200);
  });

  test('If-None-Match takes precedence', async () => {
    const date = { 'if-modified-since': modified };
    assert.is(await status('/api/both', { 'if-none-match': '"v2"', ...date }), 200);
    assert.is(await status('/api/both', { 'if-none-match': '"v1"', ...date }), 304);
    assert.is(await status('/api/dated', { 'if-none-match': '"v1"', ...date }), 200);
  });

  test('only a 200 to GET or HEAD with a validator becomes a 304', async () => {
    const had = { 'if-none-match': '"v1"' };
    assert.is(await status('/api/strong', had, 'HEAD'), 304);
    assert.is(await status('/api/created', had), 201);
    assert.is(await status('/api/posted', had, 'POST'), 200);
    assert.is(await status('/api/none', { 'if-none-match': '*', 'if-modified-since': modified }), 200);
  });

  test('an error has no validator', async () => {
    for (const [path, expected] of [
      ['/api/null', 404],
      ['/api/thrown', 410],
    ] as const) {
      const answer = await ask(path, { 'if-none-match': '"v1"' });
      assert.equal([answer.status, answer.headers.etag], [expected, undefined]);
    }
  });

  test('an error does not inherit Cache-Control of the intended response', async () => {
    for (const [tags, left] of [
      ['public, max-age=31536000, immutable', undefined],
      ['private, max-age=60', undefined],
      ['s-maxage=5', undefined],
      ['no-store', 'no-store'],
      ['private, no-cache', 'private, no-cache'],
      ['max-age=0, must-revalidate', 'max-age=0, must-revalidate'],
    ] as const) {
      const { headers } = await ask('/api/kept', { 'x-said': tags });
      assert.equal([headers['cache-control'], headers.expires], [left, undefined], tags);
    }
  });

  test('supports every kind of body', async () => {
    const from = site.dev.output.mark();
    for (const path of ['/api/bytes', '/api/response', '/api/stream', '/api/send', '/page']) {
      const answer = await ask(path, { 'if-none-match': '"v1"' });
      assert.equal([answer.status, answer.text, answer.headers.etag], [304, '', '"v1"'], path);
      assert.is(answer.headers['content-type'], undefined, path);
    }
    assert.is((await ask('/api/response', { 'if-none-match': '"v1"' })).headers['x-own'], '1');
    assert.is((await ask('/api/stream', {})).text, 'x');
    await site.dev.waitFor(/\[ended\]/, from);
    assert.is(site.dev.output.all.slice(from).split('[read]').length, 2, 'read for the 200 alone');
  });
});
