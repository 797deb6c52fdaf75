import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { inspecting } from '../../harness/dev-page.js';
import { dev } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { module, route, service } from '../../harness/source.js';

// Pages of errors in a real browser: in development they load themselves again when another version answers; axe-core judges them in
// light and dark, and on a phone.

const html = (text: string) => route('get', `(req, res) => res.type('html').send('<p>${text}</p>')`);
const fails = (text: string) => route('get', `() => { throw new Error('${text}'); }`);
const waiting = /\/\.fwk\/dev\?/;
const long = 'x'.repeat(300);
const accept = 'text/html';

const files: Files = {
  'web/broken.ts': fails('first mistake'),
  'web/fine.ts': html('fine'),
  'web/form.post.ts': route('post', `() => { throw new Error('not sent'); }`),
  'web/files/[...path].ts': fails('caught all'),
  'web/long.ts': route(
    `() => { throw new Error('first ${long}', { cause: new TypeError('second ${long}') }); }`,
  ),
  'web/checked.ts': module(
    'get',
    `const query = { '~standard': { version: 1, vendor: 'own', validate: () => ({ issues: [{ message: 'no', path: ['n'] }] }) } };
export default get({ query }, () => 1);`,
  ),
  'services/pool.ts': service(
    `(ctx, { onDestroy }) => { onDestroy(() => console.log('[destroyed]')); return 1; }`,
  ),
};

const test = suite('error pages');
const inContext = contexts(test);
const { made, server, get, post, save } = await inspecting(test, files);

/** Adds tests in a page of a browser, if there is a browser. */
const pageTests =
  (add: typeof test | ReturnType<typeof unsampled>) =>
  (name: string, act: (page: Page) => Promise<void>): void => {
    const run = () => inContext(async (context) => act(await context.newPage()), { baseURL: server.url });
    if (hasBrowser) add(name, run);
    else test.skip(name, run);
  };
const inBrowser = pageTests(test);
const unsampledInBrowser = pageTests(unsampled(test));

/** Open a page that fails, and resolve when it waits for the next version. */
async function openFailing(page: Page, path: string): Promise<void> {
  const waits = page.waitForRequest(waiting);
  await page.goto(path);
  await waits;
}

/** The findings of axe-core in light and dark mode, on a phone. */
async function judge(page: Page, url: string, shown: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 640 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    assert.match((await page.locator('h1').textContent()) ?? '', shown, url);
    assert.equal(await violationsOf(page), [], url);
    assert.not(await isTooWide(page), `${url} is too wide`);
  }
}

test('only a page that can reload has the script, and its policy allows only that script', async () => {
  const got = await get('/broken', { accept });
  const [, script = ''] = /<script data-version="[\w-]+">([\s\S]+?)<\/script>/.exec(got.text) ?? [];
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(script))).toString('base64');
  assert.is(
    got.headers['content-security-policy'],
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src 'sha256-${digest}'; connect-src 'self'`,
  );
  const headed = await server.fetch('/broken', { method: 'HEAD', headers: { accept } });
  assert.equal([headed.status, await headed.text()], [500, '']);
  assert.is(headed.headers.get('content-security-policy'), got.headers['content-security-policy']);
  const posted = await post('/form', {}, { accept });
  assert.is(posted.status, 500);
  assert.not.match(posted.text, '<script');
  assert.not.match(String(posted.headers['content-security-policy']), 'script-src');
  for (const other of ['application/json', '*/*'])
    assert.not.match((await get('/broken', { accept: other })).text, '<script');
});

unsampledInBrowser('axe-core finds no violation in development', async (page) => {
  await judge(page, '/long', 'first xxx');
  await judge(page, '/fin', 'There is nothing at this address');
  await judge(page, '/checked', '422');
  await save('web/fine.ts', 'export default 5;\n', /still serving the last good version/);
  await judge(page, '/long', 'first xxx');
  await page.getByText('The last edit is not served').waitFor();
  await save('web/fine.ts', html('fine'));
});

inBrowser('a different error replaces the first one, each once, until the page is fixed', async (page) => {
  let loaded = 0;
  page.on('load', () => (loaded += 1));
  await openFailing(page, '/broken');
  await page.getByRole('heading', { name: 'first mistake' }).waitFor();
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
});

inBrowser('an added route replaces its 404 page', async (page) => {
  await openFailing(page, '/new');
  made.write('web/new.ts', html('it is there'));
  await page.getByText('it is there').waitFor();
});

unsampledInBrowser(
  'an added route replaces the page below a catch-all, and a fixed edit its error page',
  async (page) => {
    await openFailing(page, '/files/a/b');
    await save('web/files/[...path].ts', 'export default get(', /still serving/);
    await page.reload();
    await page.getByText('The last edit is not served').waitFor();
    made.write('web/files/[...path].ts', html('all files'));
    await page.getByText('all files').waitFor();
  },
);

inBrowser(
  'a page without an error does not reload, and an open page does not keep a version alive',
  async (page) => {
    await page.goto('/fine');
    let loaded = 0;
    page.on('load', () => (loaded += 1));
    await save('web/broken.ts', fails('once more'));
    const failing = await page.context().newPage();
    await openFailing(failing, '/broken');
    await save('services/pool.ts', service('() => 2'), /\[destroyed\]/);
    made.write('web/broken.ts', html('mended'));
    await failing.getByText('mended').waitFor();
    assert.is(loaded, 0);
  },
);

unsampledInBrowser('axe-core finds no violation on the page of a broken project', async (page) => {
  const other = await dev(project({ 'web/a.ts': 'export default 5;\n' }));
  await judge(page, `${other.url}/a`, 'The project has mistakes');
  // The page is open, and must not keep the server from ending.
  await other.stop();
});

test('production pages have no script', async () => {
  const site = await production(files);
  assert.is((await site.raw('/.fwk/dev?x')).status, 404);
  for (const path of ['/broken', '/none']) {
    const { text, headers } = await site.raw(path, { headers: { accept } });
    assert.not.match(text, '<script');
    assert.not.match(String(headers['content-security-policy']), 'script-src');
  }
  await site.stop();
});

unsampled(test)('axe-core finds no violation in production', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    const site = await production(files);
    await judge(page, `${site.url}/long`, '500 Internal Server Error');
    await judge(page, `${site.url}/none`, '404 Not Found');
    await judge(page, `${site.url}/checked`, '422');
    await site.stop();
  }),
);

test('a page of an old version reloads immediately, and one of the current version waits', async () => {
  const old = await get('/.fwk/dev?some-other-version');
  assert.equal([old.status, old.headers['content-type']], [200, 'text/event-stream']);
  assert.is(old.text, 'data: reload\n\n');
  const { text } = await get('/long', { accept });
  const [, version = ''] = /data-version="([\w-]+)"/.exec(text) ?? [];
  const client = await connect(server.url);
  client.send(`GET /.fwk/dev?${version} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  assert.not.match(await client.read(/retry: \d+\n\n/), 'data:');
  await server.stop();
  assert.not.match(await client.rest(), 'data:');
});

test.run();
