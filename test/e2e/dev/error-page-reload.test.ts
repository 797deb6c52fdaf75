import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { type Dev, dev } from '../../harness/fwk.js';
import { connect, request } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Project, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

// The page of an error in development loads itself again when another version answers.

const html = (text: string) => route('get', `(req, res) => res.type('html').send('<p>${text}</p>')`);
const fails = (text: string) => route('get', `() => { throw new Error('${text}'); }`);
const waiting = /\/\.fwk\/dev\?/;

const files = {
  'web/broken.ts': fails('first mistake'),
  'web/other.ts': html('other'),
  'web/fine.ts': html('fine'),
  'web/form.post.ts': route('post', `() => { throw new Error('not sent'); }`),
  'web/files/[...path].ts': fails('caught all'),
  'services/pool.ts': module(
    'service',
    `export default service((ctx, { onDestroy }) => { onDestroy(() => console.log('[destroyed]')); return 1; });`,
  ),
};

/** Runs `act` with a page, in a browser of its own, of a server of its own; both must be able to end with it open. */
async function opened(act: (page: Page, made: Project, server: Dev) => Promise<void>): Promise<void> {
  const made = project(files);
  const server = await dev(made);
  const chromium = await browser();
  try {
    const context = await chromium.newContext({ baseURL: server.url });
    await act(await context.newPage(), made, server);
  } finally {
    try {
      await server.stop();
    } finally {
      await chromium.close();
    }
  }
}

/** Open a page that fails, and resolve when it waits for the next version. */
async function openFailing(page: Page, path: string): Promise<void> {
  const waits = page.waitForRequest(waiting);
  await page.goto(path);
  await waits;
}

const inBrowser = suite('in a browser');
const cases: Readonly<Record<string, () => Promise<void>>> = {
  'an error that is mended gives way to the page': () =>
    opened(async (page, made) => {
      await openFailing(page, '/broken');
      await page.getByRole('heading', { name: 'first mistake' }).waitFor();
      made.write('web/broken.ts', html('mended'));
      await page.getByText('mended').waitFor();
    }),

  'another mistake is shown in place of the first, each once': () =>
    opened(async (page, made) => {
      let loaded = 0;
      page.on('load', () => (loaded += 1));
      await openFailing(page, '/broken');
      for (const [turn, text] of ['second mistake', 'third mistake'].entries()) {
        const waits = page.waitForRequest(waiting);
        made.write('web/broken.ts', fails(text));
        await page.getByRole('heading', { name: text }).waitFor();
        await waits;
        assert.is(loaded, turn + 2);
      }
      made.write('web/broken.ts', html('mended'));
      await page.getByText('mended').waitFor();
      assert.is(loaded, 4);
    }),

  'a route that comes takes the place of the page that said it is not there': () =>
    opened(async (page, made) => {
      await openFailing(page, '/new');
      made.write('web/new.ts', html('it is there'));
      await page.getByText('it is there').waitFor();
    }),

  'below a catch-all, too, and what a broken edit left is mended': () =>
    opened(async (page, made, server) => {
      await openFailing(page, '/files/a/b');
      const from = server.output.mark();
      made.write('web/files/[...path].ts', 'export default get(');
      await server.waitFor(/still serving/, from);
      await page.reload();
      await page.getByText('The last edit is not served').waitFor();
      made.write('web/files/[...path].ts', html('all files'));
      await page.getByText('all files').waitFor();
    }),

  'an open page keeps no version from ending': () =>
    opened(async (page, made, server) => {
      await openFailing(page, '/broken');
      const from = server.output.mark();
      made.write('services/pool.ts', module('service', 'export default service(() => 2);'));
      await server.waitFor(/\[destroyed\]/, from);
    }),

  'a page without an error does not load itself again': () =>
    opened(async (page, made) => {
      await page.goto('/fine');
      let loaded = 0;
      page.on('load', () => (loaded += 1));
      const failing = await page.context().newPage();
      await openFailing(failing, '/broken');
      made.write('web/broken.ts', html('mended'));
      await failing.getByText('mended').waitFor();
      assert.is(loaded, 0);
    }),
};
for (const [name, run] of Object.entries(cases)) {
  if (hasBrowser) inBrowser(name, run);
  else inBrowser.skip(name, run);
}
inBrowser.run();

const test = suite('as a client sees it');
const accept = 'text/html';

test('only what may be sent again has the script, and its policy allows that script alone', async () => {
  const server = await dev(project(files));
  const got = await request(server.url, '/broken', { headers: { accept } });
  const [, script = ''] = /<script data-version="[\w-]+">([\s\S]+?)<\/script>/.exec(got.text) ?? [];
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(script))).toString('base64');
  assert.is(
    got.headers['content-security-policy'],
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src 'sha256-${digest}'; connect-src 'self'`,
  );
  const headed = await request(server.url, '/broken', { method: 'HEAD', headers: { accept } });
  assert.equal([headed.status, headed.text], [500, '']);
  assert.is(headed.headers['content-security-policy'], got.headers['content-security-policy']);
  const posted = await request(server.url, '/form', { method: 'POST', headers: { accept } });
  assert.is(posted.status, 500);
  assert.not.match(posted.text, '<script');
  assert.not.match(String(posted.headers['content-security-policy']), 'script-src');
  for (const other of ['application/json', '*/*'])
    assert.not.match((await request(server.url, '/broken', { headers: { accept: other } })).text, '<script');
  await server.stop();
});

test('a page of a version that is gone is told at once, one of this version waits', async () => {
  const server = await dev(project(files));
  const old = await request(server.url, '/.fwk/dev?some-other-version');
  assert.equal([old.status, old.headers['content-type']], [200, 'text/event-stream']);
  assert.is(old.text, 'data: reload\n\n');
  const { text } = await request(server.url, '/broken', { headers: { accept } });
  const [, version = ''] = /data-version="([\w-]+)"/.exec(text) ?? [];
  const client = await connect(server.url);
  client.send(`GET /.fwk/dev?${version} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  assert.not.match(await client.read(/retry: \d+\n\n/), 'data:');
  await server.stop();
  assert.not.match(await client.rest(), 'data:');
});

test('in production nothing of it is there', async () => {
  const site = await production({ 'web/broken.ts': fails('secret') });
  assert.is((await site.raw('/.fwk/dev?x')).status, 404);
  for (const path of ['/broken', '/none']) {
    const { text, headers } = await site.raw(path, { headers: { accept } });
    assert.not.match(text, '<script');
    assert.not.match(String(headers['content-security-policy']), 'script-src');
  }
  await site.stop();
});

test.run();
