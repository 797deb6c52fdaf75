import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AnyClient,
  clientFile,
  clientOf,
  data,
  rejected,
  resultOf,
  untyped,
} from '../../harness/client.js';
import { dev } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { checked } from '../http/validation-project.js';

const files: Files = {
  'api/books/[id].get.ts': checked(
    'get, error',
    `{
      params: z.object({ id: z.number() }),
      query: z.object({ at: z.coerce.date().optional(), tag: z.array(z.string()).default([]), n: z.number().optional() }),
      response: z.object({ id: z.number(), query: z.unknown(), at: z.date() }),
      errors: { 409: z.object({ by: z.string() }) },
    }`,
    `({ params, query }) => {
      if (params.id === 404) return null;
      if (params.id === 409) return error(409, { by: 'ada', secret: 1 });
      return { id: params.id, query, at: new Date(0), secret: 'hash' };
    }`,
  ),
  'api/books.post.ts': checked(
    'post',
    `{ body: z.object({ title: z.string(), n: z.number() }), response: { 201: z.object({ title: z.string() }) } }`,
    '({ body }, res) => { res.status(201); return body; }',
  ),
  'api/upload.post.ts': checked(
    'post',
    `{ body: z.object({ title: z.string(), at: z.coerce.date(), tag: z.array(z.number()), file: z.file() }) }`,
    `async ({ body: { file, ...rest } }) => ({ ...rest, name: file.name, size: file.size })`,
  ),
  'api/files/[...path].ts': checked(
    'all',
    '{}',
    '(req) => ({ method: req.method, path: req.params.path, body: req.body, type: req.header("content-type") })',
  ),
  'api/own.del.ts': checked('del', '{}', '() => {}'),
  'api/é #/[name].get.ts': checked(
    'get',
    '{}',
    '(req) => [req.params.name, req.header("x-token"), req.header("accept")]',
  ),
  'api/visits.post.ts': checked(
    'post',
    '{}',
    '(req, res) => { const visits = Number(req.cookies.visits ?? 0) + 1; res.cookie("visits", String(visits)); return visits; }',
  ),
  'api/login.post.ts': checked(
    'post',
    '{}',
    '(req, res) => { res.cookie("user", "ada"); res.redirect("/api/whoami?from=login", 303); }',
  ),
  'api/whoami.get.ts': checked(
    'get',
    '{}',
    '(req) => ({ method: req.method, from: req.query.from, type: req.header("content-type") ?? null, user: req.cookies.user ?? null })',
  ),
  'api/moved.post.ts': checked('post', '{}', '(req, res) => res.redirect("/api/files/moved", 307)'),
  'api/circle.get.ts': checked('get', '{}', '(req, res) => res.redirect("/api/circle")'),
  'api/never.get.ts': checked(
    'get',
    '{}',
    '(req) => new Promise((_, reject) => req.signal.addEventListener("abort", () => reject(req.signal.reason)))',
  ),
  'api/accepted.post.ts': checked('post', '{}', '(req, res) => { res.status(202).json({ queued: true }); }'),
  'api/bytes.get.ts': checked('get', '{}', '() => new Uint8Array([1, 2, 3])'),
  'web/page.get.ts': checked('get', '{}', '(req, res) => { res.type("html"); return "<p>page</p>"; }'),
};

const made = project(files, 'js');
linkLibraries(made);
const server = await dev(made);
const entry = (name: string) =>
  pathToFileURL(path.join(installed(), `node_modules/fwkit/dist/bundle/${name}.js`)).href;
const { createApp } = (await import(entry('app'))) as typeof import('../../../app/entries/index.js');
const { createTestApp } = (await import(entry('testing'))) as typeof import('../../../testkit/index.js');
const app = await createApp({ dir: made.root });
const testApp = await createTestApp({ dir: made.root });

const ways: Readonly<Record<string, AnyClient>> = {
  'over a socket': clientOf(server.url, { headers: { 'x-token': 'fixed' } }),
  'by app.fetch': clientOf(new URL('http://localhost/'), {
    fetch: app.fetch,
    headers: async () => new Headers({ 'x-token': 'made' }),
  }),
  // Typed by the routes of the project that it is tested in: of none, here.
  'of a test app': untyped(testApp.api),
};

for (const [name, api] of Object.entries(ways)) {
  const test = suite(name);
  const ok = (data: unknown, status = 200) => ({ ok: true, status, data });

  test('inputs and outputs follow the schemas', async () => {
    const at = '1970-01-01T00:00:00.000Z';
    const query = { at: new Date(0), tag: ['a', 'b&c'], n: undefined };
    assert.equal(
      await resultOf(api('/api/books/:id').get({ params: { id: 7 }, query })),
      ok({ id: 7, query: { at, tag: ['a', 'b&c'] }, at }),
    );
    assert.equal(
      await resultOf(api('/api/books').post({ body: { title: 'T', n: 1 } })),
      ok({ title: 'T' }, 201),
    );
    assert.equal(await resultOf(api('/api/own').del()), ok(undefined, 204));
  });

  test('redirects are followed', async () => {
    const login = await resultOf(api('/api/login').post({ body: { a: 1 } }));
    const user = name === 'of a test app' ? 'ada' : null;
    assert.equal(login, ok({ method: 'GET', from: 'login', type: null, user }));
    const moved = await resultOf(api('/api/moved').post({ body: { a: 1 } }));
    assert.equal(moved, ok({ method: 'POST', path: 'moved', body: { a: 1 }, type: 'application/json' }));
    assert.instance(await rejected(api('/api/circle').get()), TypeError);
    const manual = await api.raw('/api/moved').post({ init: { redirect: 'manual' } });
    assert.is(manual.status, 307);
  });

  test('a call rejects with the reason of its signal', async () => {
    const late = await rejected(api('/api/never').get({ signal: AbortSignal.timeout(10) }));
    assert.is(late.name, 'TimeoutError');
    const stop = new AbortController();
    const mine = new Error('mine');
    const stopped = rejected(api('/api/never').get({ signal: stop.signal }));
    stop.abort(mine);
    assert.is(await stopped, mine);
  });

  test('supports a response that the handler sends itself', async () => {
    assert.equal(await resultOf(api('/api/accepted').post()), ok({ queued: true }, 202));
  });

  test('failures are outcomes: declared, not found, invalid', async () => {
    const book = (id: unknown) => api('/api/books/:id').get({ params: { id } });
    assert.equal(await resultOf(book(409)), { ok: false, status: 409, error: { by: 'ada' } });
    const missing = await book(404);
    assert.is(missing.status, 404);
    assert.is(missing.error?.message, 'There is nothing at this address');
    const invalid = await book('seven');
    assert.is(invalid.status, 422);
    assert.is(JSON.stringify(invalid.error).includes('"path":["id"]'), true);
  });

  test('data() returns the data, or throws the failure', async () => {
    assert.equal(await data(api('/api/books').post({ body: { title: 'T', n: 1 } })), { title: 'T' });
    const thrown = await rejected(data(api('/api/books/:id').get({ params: { id: 409 } })));
    assert.instance(thrown, Error);
    assert.equal([thrown.message, thrown.status, thrown.error], ['Conflict', 409, { by: 'ada' }]);
  });

  test('a body with a file is sent as a form, other bodies as JSON, and fetch bodies unchanged', async () => {
    const file = new File(['hello'], 'a.txt');
    assert.equal(
      await data(api('/api/upload').post({ body: { title: 'T', at: new Date(0), tag: [1, 2], file } })),
      { title: 'T', at: '1970-01-01T00:00:00.000Z', tag: [1, 2], name: 'a.txt', size: 5 },
    );
    const form = new FormData();
    form.set('title', 'ü');
    // Many clients send the JSON content type with every call; a form needs its own, with a boundary.
    for (const body of [form, { title: 'ü', file: new Blob([]) }]) {
      const call = { params: { path: 'form' }, headers: { 'content-type': 'application/json' }, body };
      const got = (await data(api('/api/files/*path').put(call))) as { body: { title: string } };
      assert.is(got.body.title, 'ü');
    }
    const sent = async (body: unknown, headers = {}) =>
      (await data(api('/api/files/*path').put({ params: { path: 'a b/ü' }, body, headers }))) as Record<
        string,
        unknown
      >;
    assert.equal(await sent([1]), { method: 'PUT', path: 'a b/ü', body: [1], type: 'application/json' });
    assert.is((await sent('text')).body, 'text');
    assert.is((await sent('text', { 'content-type': 'text/plain' })).body, 'text');
    assert.is(
      (await sent(new URLSearchParams({ a: '1' }))).type,
      'application/x-www-form-urlencoded;charset=UTF-8',
    );
  });

  test('paths are encoded', async () => {
    const [given, token, accept] = (await data(
      api('/api/é #/:name').get({ params: { name: 'a/b?c%#' } }),
    )) as string[];
    assert.is(given, 'a/b?c%#');
    assert.is(token, { 'over a socket': 'fixed', 'by app.fetch': 'made' }[name] ?? null);
    assert.ok(accept?.startsWith('application/json'));
  });

  test('rejects a missing parameter, and a "." or ".." in the path, by name', async () => {
    const refused = async (path: string, params?: Record<string, unknown>) =>
      String(await rejected(api(path).get({ params })));
    assert.is(
      await refused('/:constructor', {}),
      'TypeError: /:constructor needs the parameter "constructor", not "undefined"',
    );
    for (const step of [undefined, '', '.', '..'])
      assert.is(
        await refused('/api/books/:id', { id: step }),
        `TypeError: /api/books/:id needs the parameter "id", not "${step}"`,
      );
    assert.match(await refused('/api/files/*path', { path: 'a/../b' }), /not "a\/\.\.\/b"/);
  });

  test('raw returns the Response, also for HEAD, and bytes and pages are data', async () => {
    const response = await api.raw('/api/books/:id').head({ params: { id: 1 } });
    assert.equal([response.status, await response.text()], [200, '']);
    assert.is((await api.raw('/api/books/:id').get({ params: { id: 409 } })).status, 409);
    assert.equal(await resultOf(api('/api/books/:id').head({ params: { id: 1 } })), ok(undefined));
    const bytes = (await data(api('/api/bytes').get())) as Blob;
    assert.equal(new Uint8Array(await bytes.arrayBuffer()), new Uint8Array([1, 2, 3]));
    assert.is(await data(api('/page').get()), '<p>page</p>');
  });

  test('keys such as "__proto__" are sent and received like any other', async () => {
    const body = JSON.parse('{ "a": [{ "b": 1, "constructor": 2 }] }');
    const got = (await data(api('/api/files/*path').post({ params: { path: 'x' }, body }))) as {
      body: unknown;
    };
    assert.equal(got.body, body);
    const query = JSON.parse('{ "__proto__": "1", "n": 2 }');
    const { data: book } = await api('/api/books/:id').get({ params: { id: 1 }, query });
    assert.equal((book as { query: unknown }).query, { tag: [], n: 2 });
  });

  test.run();
}

const jar = suite('the client of a test app');
jar('keeps the cookies of the app', async () => {
  const api = untyped(testApp.api);
  assert.is(await data(api('/api/visits').post()), 1);
  assert.is(await (await testApp.post('/api/visits')).json(), 2);
  assert.is(await data(api('/api/visits').post()), 3);
  assert.is(testApp.cookies.get('visits'), '3');
  testApp.cookies.clear();
  assert.is(await data(api('/api/visits').post()), 1);
});
jar.run();

const size = suite('published files');
size('one file without imports, of at most 2,048 bytes gzipped', () => {
  const text = readFileSync(clientFile, 'utf8');
  assert.not.match(text, /\bimport\b|\brequire\b|\bprocess\b/);
  const bytes = gzipSync(text, { level: 9 }).length;
  assert.ok(bytes <= 2048, `${bytes} bytes`);
});
size('an uncaught failure is shown with the line of its function, not with the whole file', () => {
  const script = `import { createClient, data } from ${JSON.stringify(pathToFileURL(clientFile).href)};
    const fetch = async () => Response.json({ message: 'gone for good' }, { status: 410 });
    await data(createClient('http://shop.example', { fetch })('/books').get());`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.match(stderr, /Error: gone for good\n/);
  assert.ok(stderr.length < 1500, `${stderr.length} characters`);
});
size.after(async () => {
  await Promise.all([app.close(), testApp.close()]);
  await server.stop();
});
size.run();
