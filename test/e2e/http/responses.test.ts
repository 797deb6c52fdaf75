import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { MARKS_THROWN, module, postRoute, route, tells } from '../../harness/source.js';

const refusing = (wrapper: string, before = '') =>
  route(`${wrapper}, error`, `${before}() => error(403, 'no')`);

const files: Files = {
  'api/object.ts': route(`() => ({ a: 1, name: 'é', skipped: undefined, at: new Date(0), list: [null] })`),
  'api/later.ts': route('get', 'async () => ({ later: true })'),
  'api/array.ts': route('get', '() => [1, 2]'),
  'api/nothing.get.ts': route('get', '() => {}'),
  'api/nothing.post.ts': route('post', 'async () => {}'),
  'api/null.get.ts': route('get', 'async () => null'),
  'api/null.post.ts': route('post', '() => null'),
  'api/null.head.ts': route('head', '() => null'),
  'web/nothing.ts': route('get', '() => {}'),
  'web/null.ts': route('get', '() => null'),
  'web/object.ts': route('get', '() => ({ a: 1 })'),
  'api/value/[name].ts': route(
    `(req) => ({ string: 'é"', empty: '', number: 1.5, zero: 0, yes: true, no: false })[req.params.name]`,
  ),
  'api/crash.ts': route('get', `() => { throw new Error('secret detail'); }`),
  'api/text.ts': route('get', `(req, res) => { res.type('text/plain'); return 'plain é'; }`),
  'api/bytes.ts': route('get', '() => Buffer.from([0, 255, 1])'),
  'api/array-bytes.ts': route('get', '() => new Uint8Array([7, 8])'),
  'api/reset/json.post.ts': route('post', '(req, res) => { res.status(205); return { a: 1 }; }'),
  'api/reset/text.post.ts': postRoute(
    `(req, res) => res.status(205).type('text').header('Content-Language', 'en').send('text')`,
  ),
  'api/reset/stream.post.ts': postRoute(
    `(req, res) => { res.status(205); return (async function* () { yield 'a'; })(); }`,
  ),
  'api/reset/end.post.ts': route('post', '(req, res) => res.status(205).end()'),
  'api/created.post.ts': route('post', '(req, res) => { res.status(201); return { id: 1 }; }'),
  'api/accepted.post.ts': route('post', '(req, res) => { res.status(202); }'),
  'api/headers.ts': route(
    `(req, res) => { res.status(202).header('X-One', '1').type('application/vnd.x+json').cookie('a', '1'); return { ok: 1 }; }`,
  ),
  'api/cookies.ts': route(
    `(req, res) => { res.cookie('a', 'x; y=é', { path: '/p', maxAge: 60 }).cookie('b', '2').clearCookie('c'); }`,
  ),
  'api/away.ts': route('get', `(req, res) => res.redirect('/api/object')`),
  'api/moved.ts': route('get', `(req, res) => { res.redirect('/api/object', 301); }`),
  'api/send.ts': route(`(req, res) => { res.type('text/plain').send('sent'); return { not: 'this' }; }`),
  'api/json.ts': route('get', '(req, res) => { res.status(201).json({ by: "json" }); }'),
  'api/end.ts': route('get', '(req, res) => { res.status(202).end(); }'),
  'api/before-head.ts': route(`async (req, res) => {
       res.beforeHead(() => res.header('x-first', res.statusCode)).beforeHead(async () => { await null; res.header('x-second', 2); });
       res.status(201).json({ by: 'json' });
       return 'not this';
     }`),
  'api/before-head/throws.ts': route(
    'get, error',
    `(req, res) => { res.beforeHead(() => { throw error(418, 'no head'); }); res.json({ by: 'json' }); }`,
  ),
  'api/before-head/after-sending.ts': route(
    `(req, res) => { res.beforeHead(() => null); res.json({ by: 'json' }); throw new Error('after sending'); }`,
  ),
  'api/sent.ts': route(
    '(req, res) => { const before = res.sent; res.json({ before }); console.log("sent is", res.sent); }',
  ),
  'api/refused.get.ts': refusing('get'),
  'api/refused.post.ts': refusing('post', 'async '),
  'api/down.get.ts': route('get, error', `() => error(503, { until: 'noon' })`),
  'api/seen/_middleware.ts': module('isHttpError, middleware', MARKS_THROWN),
  'api/seen/get.ts': refusing('get'),
  'api/seen/late.get.ts': refusing('get', 'async '),
  'api/seen/post.ts': refusing('post'),
  'api/seen/late.post.ts': refusing('post', 'async '),
  'api/seen/any.ts': refusing('all'),
  'api/plain.get.ts': tells('get', 'plain'),
  'api/write.post.ts': tells('post', 'write'),
  'api/users/[id].get.ts': tells('get', 'user'),
  'api/users/[id].post.ts': tells('post', 'user'),
  'api/both.get.ts': tells('get', 'both'),
  'api/both.head.ts': route('head', `(req, res) => { res.header('x-at', 'head'); }`),
};

served(files, (test, site) => {
  test('an object is sent as JSON', async () => {
    for (const path of ['/api/object', '/object']) {
      const response = await site.fetch(path);
      assert.is(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/);
    }
    const object = await site.raw('/api/object');
    assert.is(object.text, '{"a":1,"name":"é","at":"1970-01-01T00:00:00.000Z","list":[null]}');
    assert.is(object.headers['content-length'], String(Buffer.byteLength(object.text)));
    assert.equal((await site.raw('/api/later')).json, { later: true });
    assert.equal((await site.raw('/api/array')).json, [1, 2]);
  });

  test('undefined is 204; null is 404 for GET and HEAD and 204 otherwise', async () => {
    for (const [method, path, status] of [
      ['GET', '/api/nothing', 204],
      ['POST', '/api/nothing', 204],
      ['GET', '/nothing', 204],
      ['GET', '/api/null', 404],
      ['HEAD', '/api/null', 404],
      ['GET', '/null', 404],
      ['POST', '/api/null', 204],
    ] as const) {
      const answer = await site.raw(path, { method });
      assert.is(answer.status, status, `${method} ${path}`);
      if (status === 204) assert.is(answer.text, '');
    }
  });

  test('a 205 has no body, whatever the handler returns', async () => {
    for (const what of ['json', 'text', 'stream', 'end']) {
      const { status, text, headers } = await site.raw(`/api/reset/${what}`, { method: 'POST' });
      const { 'content-length': length, 'content-type': type, 'content-language': language } = headers;
      assert.equal([status, text, length, type, language], [205, '', '0', undefined, undefined], what);
    }
  });

  test('strings, numbers and booleans are sent as JSON', async () => {
    for (const [name, text] of Object.entries({
      string: '"é\\""',
      empty: '""',
      number: '1.5',
      zero: '0',
      yes: 'true',
      no: 'false',
    })) {
      const answer = await site.raw(`/api/value/${name}`);
      assert.is(answer.status, 200, name);
      assert.is(answer.text, text);
      assert.match(String(answer.headers['content-type']), /^application\/json\b/);
    }
  });

  test('bytes, and strings with another type, are sent unchanged', async () => {
    const text = await site.raw('/api/text');
    assert.is(text.text, 'plain é');
    assert.match(String(text.headers['content-type']), /^text\/plain\b/);
    const bytes = await site.fetch('/api/bytes');
    assert.equal([...new Uint8Array(await bytes.arrayBuffer())], [0, 255, 1]);
    assert.is(bytes.headers.get('content-type'), 'application/octet-stream');
    assert.equal([...new Uint8Array(await (await site.fetch('/api/array-bytes')).arrayBuffer())], [7, 8]);
  });

  test('HEAD has the headers of GET and no body, whatever the handler returns', async () => {
    for (const path of [
      '/api/object',
      '/api/value/string',
      '/api/bytes',
      '/api/text',
      '/api/crash',
      '/api/none',
    ]) {
      const get = await site.raw(path);
      const connection = await connect(site.dev.url);
      connection.send(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      const text = await connection.rest();
      assert.match(text, new RegExp(`^HTTP/1.1 ${get.status} `), path);
      assert.match(text, /\r\n\r\n$/, path);
      assert.match(
        text,
        new RegExp(`content-type: ${get.headers['content-type']?.replace(/[+/]/g, '\\$&')}`, 'i'),
        path,
      );
    }
  });

  test('res: status, header, type and cookie chain and apply to the result', async () => {
    const created = await site.raw('/api/created', { method: 'POST' });
    assert.equal([created.status, created.json], [201, { id: 1 }]);
    const accepted = await site.raw('/api/accepted', { method: 'POST' });
    assert.equal([accepted.status, accepted.text], [202, '']);
    const { status, headers, json } = await site.raw('/api/headers');
    assert.equal([status, headers['x-one'], json], [202, '1', { ok: 1 }]);
    assert.match(String(headers['content-type']), /^application\/vnd\.x\+json/);
    assert.match(String(headers['set-cookie']), /^a=1/);
  });

  test('res: each cookie is one header and cannot be split', async () => {
    const cookies = (await site.raw('/api/cookies')).headers['set-cookie'] ?? [];
    assert.is(cookies.length, 3);
    assert.match(cookies[0] ?? '', /^a=x%3B%20y%3D%C3%A9;/);
    assert.match(cookies[0] ?? '', /Path=\/p/);
    assert.match(cookies[0] ?? '', /Max-Age=60/);
    assert.match(cookies[1] ?? '', /^b=2/);
    assert.match(cookies[2] ?? '', /^c=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
  });

  test('res: redirect, send, json and end respond immediately', async () => {
    const away = await site.fetch('/api/away');
    assert.equal([away.status, away.headers.get('location')], [302, '/api/object']);
    assert.is((await site.fetch('/api/moved')).status, 301);
    assert.is((await site.raw('/api/send')).text, 'sent');
    const json = await site.raw('/api/json');
    assert.equal([json.status, json.json], [201, { by: 'json' }]);
    const end = await site.raw('/api/end');
    assert.equal([end.status, end.text], [202, '']);
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/sent')).json, { before: false });
    await site.dev.waitFor(/sent is true/, from);
  });

  test('res: beforeHead runs last, and the response waits for it', async () => {
    const { status, headers, json } = await site.raw('/api/before-head');
    assert.equal([status, headers['x-first'], headers['x-second'], json], [201, '201', '2', { by: 'json' }]);
    const thrown = await site.raw('/api/before-head/throws');
    assert.equal([thrown.status, thrown.json], [418, { message: 'no head' }]);
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/before-head/after-sending')).json, { by: 'json' });
    await site.dev.waitFor(/failed in .*after-sending\.[jt]s:\nError: after sending/, from);
  });

  test('a returned error sends its status and its body', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, json } = await site.raw('/api/refused', { method });
      assert.equal([status, json], [403, { message: 'no' }], method);
    }
    const page = await site.raw('/api/refused', { headers: { accept: 'text/html' } });
    assert.match(String(page.headers['content-type']), /^text\/html\b/);
  });

  test('a returned 5xx is logged like a thrown one', async () => {
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/down')).json, { until: 'noon' });
    await site.dev.waitFor(/GET \/api\/down answered 503 in /, from);
  });

  test('a middleware sees a returned error as thrown', async () => {
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'POST'],
      ['/late', 'GET'],
      ['/late', 'POST'],
      ['/any', 'GET'],
      ['/any', 'POST'],
    ] as const) {
      const { status, headers, json } = await site.raw(`/api/seen${path}`, { method, body: '' });
      assert.equal([status, headers['x-seen'], json], [403, '403', { message: 'no' }], method + path);
    }
  });

  test('a 405 lists the methods of the URL', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/api/plain', 'GET HEAD OPTIONS'],
      ['GET', '/api/write', 'OPTIONS POST'],
      ['HEAD', '/api/write', 'OPTIONS POST'],
      ['PATCH', '/api/users/7', 'GET HEAD OPTIONS POST'],
      ['PROPFIND', '/api/plain', 'GET HEAD OPTIONS'],
    ] as const) {
      const { status, headers } = await site.raw(path, { method });
      assert.is(status, 405, `${method} ${path}`);
      assert.is(allowed(headers.allow), allow, `${method} ${path}`);
    }
  });

  test('a HEAD route takes precedence over GET', async () => {
    assert.is((await site.raw('/api/both', { method: 'HEAD' })).headers['x-at'], 'head');
    assert.is((await site.raw('/api/both')).status, 200);
  });
});

function allowed(header: string | undefined): string {
  return (header ?? '').split(/, */).sort().join(' ');
}
