import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { servedBothWays } from '../../harness/served.js';
import { route } from '../../harness/source.js';
import { THROWN, thrower } from './thrown.js';

const files: Files = {
  'api/object.ts': route('get', '() => ({})'),
  'api/null.ts': route('get', '() => null'),
  'api/coffee.ts': route('get, error', `() => { throw error(418, 'short and stout'); }`),
  'api/fields.ts': route('get, error', `async () => { throw error(422, { message: 'no', fields: ['a'] }); }`),
  'api/bare.ts': route('get, error', '() => { throw error(401); }'),
  'api/crash.ts': route('get', `() => { throw new Error('secret detail'); }`),
  'api/reject.ts': route('get', `async () => { await null; throw new TypeError('secret detail'); }`),
  'api/thrown.ts': thrower,
  'api/down.ts': route('get, error', `() => { throw error(503, 'closed for today'); }`),
  'api/sent.ts': route('get', `(req, res) => { res.send('done'); throw new Error('thrown too late'); }`),
  'api/half.ts': route(
    `(req, res) => { res.raw.writeHead(200); res.raw.write('half'); throw new Error('thrown halfway'); }`,
  ),
  'api/headers.ts': route(`(req, res) => {
       res.header('Content-Length', 3).header('Content-Encoding', 'gzip').header('Vary', 'Origin').header('X-Kept', 'yes');
       throw new Error('after headers');
     }`),
  'api/bigint.ts': route('get', '() => ({ n: 1n })'),
  'api/circle.ts': route('get', '() => { const a = {}; a.a = a; return a; }'),
  'api/injected.ts': route('get', `(req, res) => { res.header('x-a', 'b\\r\\nx-evil: 1'); return {}; }`),
};

servedBothWays(files, (test, site) => {
  test('a thrown error() sends its status and its body', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'text/html;q=0.4, application/json;q=0.5',
      'text/html;q=0',
    ]) {
      const coffee = await site.raw('/api/coffee', { headers: { accept } });
      assert.is(coffee.status, 418);
      assert.equal(coffee.json, { message: 'short and stout' }, accept);
    }
    const bare = await site.raw('/api/bare');
    assert.equal([bare.status, bare.json], [401, { message: 'Unauthorized' }]);
    const page = (await site.raw('/api/bare', { headers: { accept: 'text/html' } })).text;
    assert.is(page.match(/Unauthorized/g)?.length, 2, 'in the title and the heading alone');
    const fields = await site.raw('/api/fields');
    assert.is(fields.status, 422);
    assert.equal(fields.json, { message: 'no', fields: ['a'] });
  });

  test('a browser gets a page with the message of a thrown error()', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const accept of [browser, 'text/html', 'TEXT/HTML ; Q=1, application/*;q=0.9', 'text/html, */*']) {
      const coffee = await site.raw('/api/coffee', { headers: { accept } });
      assert.is(coffee.status, 418);
      assert.match(String(coffee.headers['content-type']), /^text\/html\b/);
      assert.match(coffee.text, /418 I&#39;m a Teapot[\s\S]*short and stout/);
      assert.match(String(coffee.headers.vary), 'Accept');
    }
  });

  test('any other thrown value is a 500 and is logged, and the server keeps running', async () => {
    const from = site.dev.output.mark();
    for (const path of ['crash', 'reject', 'bigint', 'circle', 'injected']) {
      const answer = await site.raw(`/api/${path}`);
      assert.is(answer.status, 500, path);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/);
      assert.is(answer.headers['x-evil'], undefined);
    }
    await site.dev.waitFor(/secret detail/, from);
    assert.is((await site.raw('/api/object')).status, 200);
  });

  test('every thrown value is answered', async () => {
    assert.ok(THROWN.length > 10);
    const from = site.dev.output.mark();
    for (const what of THROWN) {
      for (const headers of [{}, { accept: 'text/html' }, { accept: '*/*' }]) {
        for (const later of ['', '&later']) {
          const answer = await site.raw(`/api/thrown?what=${what}${later}`, { headers });
          // A page does not need the body, which can no longer be sent.
          const status = what === 'body' && 'accept' in headers && headers.accept === 'text/html' ? 400 : 500;
          assert.is(answer.status, status, what);
          assert.ok(answer.text.length > 0, what);
        }
      }
    }
    await site.dev.waitFor(
      /failed in .* a value that cannot be shown|failed in .*could not be logged: inner|The log arguments cannot be read/,
      from,
    );
    assert.is((await site.raw('/api/object')).status, 200);
  });

  test('an error after the response leaves it unchanged, and an error within it cuts it off', async () => {
    const from = site.dev.output.mark();
    assert.equal([(await site.raw('/api/sent')).text, (await site.raw('/api/object')).status], ['done', 200]);
    await site.dev.waitFor(/thrown too late/, from);
    const told = await site.raw('/api/half').then(
      ({ text }) => text,
      (failure: Error) => failure,
    );
    assert.instance(told, Error);
    await site.dev.waitFor(/thrown halfway/, from);
  });

  test("headers that describe the handler's body are dropped from the error", async () => {
    const { status, headers, text } = await site.raw('/api/headers', { headers: { accept: 'text/html' } });
    assert.equal([status, headers['content-length']], [500, String(Buffer.byteLength(text))]);
    assert.equal([headers['content-encoding'], headers['x-kept']], [undefined, 'yes']);
    assert.is(headers.vary, 'Origin, Accept');
  });

  test('errors thrown with error() are not logged, except for one line for a 5xx', async () => {
    const from = site.dev.output.mark();
    for (const path of ['coffee', 'fields', 'none', 'down', 'crash']) await site.raw(`/api/${path}`);
    await site.dev.waitFor(/GET \/api\/crash failed in /, from);
    const told = site.dev.output.all.slice(from);
    assert.match(
      told,
      `GET /api/down answered 503 in ${site.project.label('api/down.ts')}: closed for today\n`,
    );
    // Numbers of lines and columns may be any.
    assert.not.match(told.replace(/^ +at .*$/gm, ''), /short and stout|422|404/);
  });

  test('errors of fwk are problem documents, or pages for a browser', async () => {
    for (const [method, path, status, title] of [
      ['GET', '/api/none', 404, 'Not Found'],
      ['GET', '/api/null', 404, 'Not Found'],
      ['PUT', '/api/object', 405, 'Method Not Allowed'],
      ['GET', '/api/crash', 500, 'Internal Server Error'],
    ] as const) {
      const problem = await site.raw(path, { method });
      assert.match(String(problem.headers['content-type']), /^application\/problem\+json\b/);
      const body = problem.json as Record<string, unknown>;
      assert.equal([problem.status, body.status, body.title], [status, status, title]);
      assert.type(body.message, 'string');
      const page = await site.raw(path, { method, headers: { accept: 'text/html,*/*;q=0.8' } });
      assert.is(page.status, status);
      assert.match(String(page.headers['content-type']), /^text\/html\b/);
      assert.match(page.text, /<\/?\w+/);
    }
  });
});
