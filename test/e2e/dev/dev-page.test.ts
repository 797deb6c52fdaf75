import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import { type Files, inLayout } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { middleware, route } from '../../harness/source.js';

const evil = '<script>alert(1)</script>';
const browser = { accept: 'text/html,*/*;q=0.8' };
const secret = 'abcdefghijklmnopqrstuvwxyz';

const store = `// the store
export const find = (id) => {
  if (id !== '1')
    throw new Error('no such row: ' + id, { cause: new TypeError('the disk is gone') });
};
`;

const files: Files = {
  'lib/store.ts': store,
  'middlewares/1.trace.ts': middleware('(req, res, ctx, next) => next()'),
  'api/users/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'api/users/[id].get.ts': `import { find } from '../../lib/store.js';\n${route('get', '(req) => find(req.params.id)')}`,
  'api/<b>bold.get.ts': route('get', `() => { throw new Error('bold'); }`),
  'api/late.get.ts': route('get', '() => { throw new Error("the old text"); }'),
  'api/package.get.ts': route('get', `() => JSON.parse('{')`),
};

/** The text that a reader of the page sees. */
const seen = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');

served(files, (test, site) => {
  const label = (name: string) => site.project.label(name);

  test('the page shows the error, its cause, the source, the stack, the route and the request', async () => {
    const page = await site.raw('/api/users/7?x=1', { headers: { ...browser, 'x-asked': 'this' } });
    assert.is(page.status, 500);
    assert.match(String(page.headers['content-type']), /^text\/html\b/);
    const text = seen(page.text);
    for (const expected of [
      '500 Internal Server Error',
      'Error: no such row: 7',
      'Caused by TypeError: the disk is gone',
      `${label('lib/store.ts')}:4:11`,
      `find (${label('lib/store.ts')}:4:11)`,
      `${label('api/users/[id].get.ts')}:3:`,
      'Route GET /api/users/:id',
      `File ${label('api/users/[id].get.ts')}`,
      `Middlewares ${label('middlewares/1.trace.ts')} → ${label('api/users/_middleware.ts')}`,
      'GET /api/users/7?x=1',
      'x-asked this',
    ])
      assert.ok(text.includes(expected), `${expected}\nin:\n${text}`);
    const marked = [...page.text.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, row = '']) => seen(row).trim());
    assert.is(marked.length, 2);
    assert.match(String(marked[0]), /^4 throw new Error\('no such row: '/);
    const [, frames = ''] = /<ol class="stack">([\s\S]*?)<\/ol>/.exec(page.text) ?? [];
    assert.match(frames, /^\s*<li class="project">.*store[\s\S]*<li class="package">.*fwkit/);
  });

  test('the page loads nothing from elsewhere, in light and dark mode', async () => {
    const { text, headers } = await site.raw('/api/users/7', { headers: browser });
    assert.not.match(text, /<link|<img|\bsrc=|url\(|https?:\/\//i);
    assert.match(text, 'color-scheme: light dark');
    assert.match(String(headers['content-security-policy']), "default-src 'none'");
    assert.is(headers['cache-control'], 'no-store');
    assert.ok(text.length < 16_000, `${text.length} characters`);
  });

  test('client data never becomes HTML', async () => {
    const target = `/api/users/${evil}?q=${evil}`.replaceAll('</', '<%2F');
    for (const path of [target, `/api/${encodeURIComponent('<b>bold')}`, `/nowhere/${evil}"'`]) {
      const { text } = await site.raw(path, { headers: { ...browser, 'x-evil': `${evil}"'` } });
      const scripts = [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag.replace(/"[\w-]+"/, '""'));
      assert.equal(scripts, ['<script data-version="">'], path);
      assert.not.match(text, '<b>bold', path);
      assert.match(text, '&lt;', path);
    }
    const { text } = await site.raw(target, { headers: { ...browser, 'x-evil': evil } });
    const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;';
    assert.match(text, `no such row: ${escaped}`);
    assert.match(text, `<dd>${escaped}`);
  });

  test('credentials are masked', async () => {
    const headers = { authorization: `Bearer ${secret}`, cookie: `session=${secret}` };
    for (const accept of [browser.accept, '*/*', 'application/json']) {
      const { status, text } = await site.raw('/api/users/7', { headers: { ...headers, accept } });
      assert.is(status, 500);
      assert.not.match(text, secret.slice(0, 10));
    }
    const { text } = await site.raw('/api/users/7', { headers: { ...headers, ...browser } });
    assert.match(seen(text), 'authorization Bearer a… (33 characters)');
    const referer = `http://localhost/reset?token=${secret}`;
    const sent = { ...browser, referer };
    const url = await site.raw(`/api/users/7?page=2&token=${secret}#x`, { headers: sent });
    assert.not.match(url.text, secret.slice(0, 10));
    assert.match(seen(url.text), '/api/users/7?page=2&token=');
  });

  test('curl gets the same information as text', async () => {
    const { status, headers, text } = await site.raw('/api/users/7', { headers: { accept: '*/*' } });
    assert.equal([status, headers['content-type']], [500, 'text/plain; charset=utf-8']);
    const at = inLayout(label('lib/store.ts'), site.layout);
    assert.match(text, `Error: no such row: 7\n\n${at}:4:11\n  1 | // the store\n`);
    assert.match(text, /\n> 4 \| {5}throw new Error\(.*\n {4}\| {11}\^\n/);
    assert.match(text, `\n    at find (${at}:4:11)\n`);
    assert.match(text, '\nCaused by TypeError: the disk is gone\n');
    assert.match(
      text,
      /\nRoute +GET \/api\/users\/:id\nFile +\S+\nMiddlewares +\S+ → \S+\nRequest +GET \/api/,
    );
  });

  test('a program gets a problem document with the details', async () => {
    const programs = [
      {},
      { accept: 'application/json' },
      { accept: 'application/json, text/plain, */*' },
      { accept: '*/*', 'sec-fetch-mode': 'cors' },
    ];
    for (const headers of programs) {
      const problem = await site.raw('/api/users/7', { headers });
      assert.match(String(problem.headers['content-type']), /^application\/problem\+json\b/);
      const { status, title, message, error, stack, causes, route } = problem.json as Record<string, unknown>;
      assert.equal([status, title, message], [500, 'Internal Server Error', 'no such row: 7']);
      assert.equal([error, route], ['Error: no such row: 7', 'GET /api/users/:id']);
      assert.match(String(Object(stack)[0]), `find (${label('lib/store.ts')}:4:11)`);
      assert.is(Object(causes)[0].error, 'TypeError: the disk is gone');
    }
    const fetched = await site.fetch('/api/users/7');
    assert.is(Object(await fetched.json()).message, 'no such row: 7');
  });

  test("an error thrown by V8 is shown at the project's call", async () => {
    const { text } = await site.raw('/api/package', { headers: { accept: '*/*' } });
    assert.match(text, /^SyntaxError: /);
    assert.match(text, `\n${label('api/package.get.ts')}:2:31\n`);
  });

  test('the terminal shows the error once, with its source', async () => {
    const from = site.dev.output.mark();
    await site.raw('/api/users/%c3%a9', { headers: browser });
    await site.dev.waitFor(/Caused by TypeError[\s\S]*\^[\s\S]*at find/, from);
    await site.raw('/api/late');
    await site.dev.waitFor(/the old text[\s\S]*\^/, from);
    const expected = site.dev.output.stderr;
    assert.is(expected.split('GET /api/users/%c3%a9 failed in').length, 2);
    assert.match(
      expected,
      `/api/users/%c3%a9 failed in ${label('api/users/[id].get.ts')}:\nError: no such row: é\n`,
    );
  });

  test('a 404 page lists similar routes, and no other error', async () => {
    const page = await site.raw('/api/user/7', { headers: browser });
    assert.is(page.status, 404);
    const text = seen(page.text);
    assert.match(text, 'GET /api/user/7');
    assert.match(text, `Similar routes GET /api/users/:id ${label('api/users/[id].get.ts')}`);
    assert.match(seen((await site.raw('/api/users', { headers: browser })).text), 'GET /api/users/:id');
    const far = await site.raw('/something/else/entirely/different', { headers: browser });
    assert.match(far.text, 'No route is similar.');
    const { message, ...rest } = (await site.raw('/api/user/7')).json as Record<string, unknown>;
    assert.equal(rest, { status: 404, title: 'Not Found' });
    assert.type(message, 'string');
  });

  test('the page reports a broken edit and shows the text that ran', async () => {
    const name = 'api/late.get.ts';
    const from = site.dev.output.mark();
    site.project.write(name, `// moved\n\n\nexport default get(`);
    await site.dev.waitFor(/still serving/, from);
    const text = seen((await site.raw('/api/late', { headers: browser })).text);
    assert.match(text, `The last edit is not served`);
    assert.match(text, `${label(name)}:4: does not parse`);
    assert.match(text, `2 export default get(() => { throw new Error("the old text"); });`);
    assert.match(seen((await site.raw('/none', { headers: browser })).text), `The last edit is not served`);
    await edit(site, () => site.project.write(name, route('get', '() => 1')), '/api/late', 1);
    assert.not.match((await site.raw('/none', { headers: browser })).text, `The last edit`);
  });
});
