import * as assert from 'uvu/assert';
import type { Files } from '../harness/project.js';
import { served } from '../harness/served.js';
import { module, route } from '../harness/source.js';

// What is thrown, and what the client hears of it.

// The example of the convention's description: two required fields, a cookie, nothing returned.
const login = module(
  'post, error',
  `export default post((req, res, ctx) => {
     const { email, password } = req.body;
     if (!email || !password) throw error(400, { message: 'email and password are required' });
     res.cookie('session', 'secret token', { httpOnly: true });
   });`,
);

const files: Files = {
  'api/object.ts': route('get', '() => ({})'),
  'api/null.ts': route('get', '() => null'),
  'api/login.post.ts': login,
  'api/coffee.ts': route('get, error', `() => { throw error(418, 'short and stout'); }`),
  'api/fields.ts': route('get, error', `async () => { throw error(422, { message: 'no', fields: ['a'] }); }`),
  'api/crash.ts': route('get', `() => { throw new Error('secret detail'); }`),
  'api/reject.ts': route('get', `async () => { await null; throw new TypeError('secret detail'); }`),
  'api/odd/[what].ts': route('get', `(req) => { throw { string: 'text', null: null }[req.params.what]; }`),
  'api/bigint.ts': route('get', '() => ({ n: 1n })'),
  'api/circle.ts': route('get', '() => { const a = {}; a.a = a; return a; }'),
  'api/injected.ts': route('get', `(req, res) => { res.header('x-a', 'b\\r\\nx-evil: 1'); return {}; }`),
};

served(files, (test, site) => {
  test('a login asks for its fields, sets its cookie and says nothing', async () => {
    const post = (body: unknown) =>
      site.fetch('/api/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const refused = await post({ email: 'a@b.c' });
    assert.is(refused.status, 400);
    assert.match(refused.headers.get('content-type') ?? '', /^application\/json\b/);
    assert.equal(await refused.json(), { message: 'email and password are required' });
    assert.is(refused.headers.get('set-cookie'), null);
    const passed = await post({ email: 'a@b.c', password: 'p' });
    assert.is(passed.status, 204);
    assert.is(await passed.text(), '');
    assert.match(passed.headers.get('set-cookie') ?? '', /^session=secret%20token;.*HttpOnly/i);
  });

  test('a thrown error() carries its status and its body', async () => {
    const coffee = await site.raw('/api/coffee', { headers: { accept: 'text/html' } });
    assert.is(coffee.status, 418);
    assert.equal(coffee.json, { message: 'short and stout' });
    const fields = await site.raw('/api/fields');
    assert.is(fields.status, 422);
    assert.equal(fields.json, { message: 'no', fields: ['a'] });
  });

  test('anything else thrown is a 500 that the server outlives, told in the terminal', async () => {
    const from = site.dev.output.mark();
    for (const path of [
      'crash',
      'reject',
      'odd/string',
      'odd/null',
      'odd/undefined',
      'bigint',
      'circle',
      'injected',
    ]) {
      const answer = await site.raw(`/api/${path}`);
      assert.is(answer.status, 500, path);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/);
      assert.is(answer.headers['x-evil'], undefined);
    }
    await site.dev.waitFor(/secret detail/, from);
    assert.is((await site.raw('/api/object')).status, 200);
  });

  test('errors of fwk are problems as JSON, and pages for a browser', async () => {
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
