import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { type Files, project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

// /_fwk/manual while fwk dev runs.

const test = suite('the manual of fwk dev');

const BASE = '/_fwk/manual';

async function served(files: Files, act: (server: Dev) => Promise<void>): Promise<void> {
  const server = await dev(project(files));
  try {
    await act(server);
  } finally {
    await server.stop().catch(() => server.stop('SIGKILL'));
  }
}

/** A project that answers everything itself, and lets nobody in. */
const greedy = {
  'web/[...path].get.ts': route('get', `() => 'mine'`),
  'middlewares/1.guard.ts': `import { error, middleware } from 'fwkit';
export default middleware(() => error(401, { message: 'Log in.' }));`,
};

test('it comes before the project, with a policy that allows nothing from elsewhere', () =>
  served(greedy, async ({ url }) => {
    assert.is((await request(url, '/x')).status, 401);
    const { status, headers, text } = await request(url, `${BASE}/guide/sessions`);
    assert.is(status, 200);
    assert.match(text, '<h1 id="sessions">Sessions</h1>');
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.not.match(text, /<script(?! src="\/_fwk\/manual\/)| style=| on\w+=/);
    // It is asked for again, and has not changed.
    const again = await request(url, `${BASE}/guide/sessions`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    assert.is(again.status, 304);
    assert.is(again.text, '');
    for (const near of ['/_fwk/manuals', '/_fwk/manual.md'])
      assert.is((await request(url, near)).status, 401);
  }));

test('it is there while the project cannot be served', () =>
  served({ 'api/broken.get.ts': 'export default 1;' }, async ({ url }) => {
    assert.is((await request(url, '/')).status, 500);
    assert.is((await request(url, `${BASE}/`)).status, 200);
  }));

test('it has names of this machine alone, and is only read', () =>
  served({ 'api/fine.get.ts': route('get', `() => 'fine'`) }, async ({ url }) => {
    const strange = await request(url, `${BASE}/`, { headers: { host: 'evil.example' } });
    assert.is(strange.status, 403);
    const { status, headers } = await request(url, `${BASE}/`, { method: 'POST', body: 'x' });
    assert.is(status, 405);
    assert.is(headers.allow, 'GET, HEAD');
    const head = await request(url, `${BASE}/`, { method: 'HEAD' });
    assert.is(head.status, 200);
    assert.is(head.text, '');
  }));

test('every page, as HTML and as Markdown, and what they link to', () =>
  served({ 'api/fine.get.ts': route('get', `() => 'fine'`) }, async ({ url }) => {
    const seen = new Map<string, string>();
    const open = async (path: string): Promise<string> => {
      const known = seen.get(path);
      if (known !== undefined) return known;
      const { status, text } = await request(url, path);
      assert.is(status, 200, path);
      seen.set(path, text);
      return text;
    };
    const queue = [`${BASE}/`];
    for (const path of queue) {
      const html = await open(path);
      if (path.endsWith('.md')) continue;
      for (const [, to = '', id] of html.matchAll(/(?:href|src)="(\/[^"#]*)(?:#([^"]*))?"/g)) {
        if (!queue.includes(to)) queue.push(to);
        if (id) assert.match(await open(to), `id="${id}"`, `${path} links to ${to}#${id}`);
      }
    }
    const pages = queue.filter((path) => path.endsWith('.md'));
    assert.ok(pages.length > 40, `${pages.length}`);
    for (const page of pages)
      assert.ok(page.endsWith('README.md') || queue.includes(page.replace(/\.md$/, '')), page);
    const index = await open(`${BASE}/llms.txt`);
    const listed = [...index.matchAll(/\]\((\S+\.md)\)/g)].map(([, path = '']) => path);
    assert.equal(listed.sort(), pages.filter((path) => path !== `${BASE}/README.md`).sort());
    const full = await open(`${BASE}/llms-full.txt`);
    assert.match(full, await open(`${BASE}/guide/sessions.md`).then((text) => text.trim()));
  }));

test('pages are found in other spellings; what is not there is 404, with what is like it', () =>
  served({ 'api/fine.get.ts': route('get', `() => 'fine'`) }, async ({ url }) => {
    for (const [path, location] of [
      ['', `${BASE}/`],
      ['/sessions', `${BASE}/guide/sessions`],
      ['/guide/Sessions/', `${BASE}/guide/sessions`],
    ] as const) {
      const { status, headers } = await request(url, BASE + path);
      assert.is(status, 302, path);
      assert.is(headers.location, location);
    }
    for (const path of [
      '/none',
      '/%E0%A4',
      '/..%2f..%2fpackage.json',
      '/__proto__',
      '/assets/constructor',
      `/${'x'.repeat(5000)}`,
    ]) {
      const { status, text } = await request(url, BASE + path);
      assert.is(status, 404, path.slice(0, 50));
      assert.match(text, 'There is no such page');
    }
    const script = await request(
      url,
      `${BASE}/search?q=${encodeURIComponent('<script>alert(1)</script> "session')}`,
    );
    assert.is(script.status, 200);
    assert.not.match(script.text, '<script>alert');
    assert.match(
      (await request(url, `${BASE}/search?q=renewSession`)).text,
      `${BASE}/guide/sessions#login-and-logout`,
    );
    assert.match((await request(url, `${BASE}/search?q=${'a+'.repeat(2000)}`)).text, 'class="hits"');
  }));

test.run();
