import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { type Running, running } from '../../harness/running.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { module, route } from '../../harness/source.js';

// An open page of the app says, in a real browser, that the last save is not served.

const evil = '<img src=x onerror=document.title="taken">';
const html = (inside: string) =>
  `<!doctype html><html lang="en"><title>fine</title>${inside}<main><h1>page</h1></main></html>`;
const page = (policy: string, inside = '') =>
  route(
    'get',
    `(req, res) => res.header('Content-Security-Policy', ${JSON.stringify(policy)}).type('html').send('${html(inside)}')`,
  );

const files: Files = {
  'fwk.config.ts': module(
    'defineConfig',
    `export default defineConfig({ compression: { threshold: 0 }, securityHeaders: true });`,
  ),
  'api/x.ts': route('get', '() => 1'),
  'views/home.eta': html('<style nonce="<%= it.nonce %>"></style>'),
  'web/get.ts': route('get, view', `() => view('home')`),
  'web/none.ts': page("default-src 'none'"),
  'web/nonce.ts': page("script-src 'nonce-abc' 'strict-dynamic'; connect-src 'none'; style-src 'none'"),
  'web/types.ts': page("default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"),
  'web/inline.ts': page("script-src 'unsafe-inline'"),
  'web/base.ts': page('base-uri *', '<base href="https://elsewhere.test/">'),
  'web/two.ts': page("default-src 'none', script-src 'self'"),
  'public/favicon.ico': '',
  'public/still.html': html(''),
};

const test = suite('a page after a save that is broken');
const inContext = contexts(test);

interface Shown extends Running {
  readonly page: Page;
  /** Saves what cannot be served, and resolves when that is told in the terminal. */
  breakBy(text: string): Promise<void>;
}

/** Serves `files` while `act` runs, with a page of a browser that must complain of nothing. */
const shown = (act: (shown: Shown) => Promise<void>): Promise<void> =>
  running(files, (given) =>
    inContext(async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      const breakBy = async (text: string) => {
        const from = given.server.output.mark();
        given.made.write('api/x.ts', text);
        await given.server.waitFor(/still serving/, from);
      };
      await act({ ...given, page, breakBy });
      assert.equal(complaints, []);
    }),
  );

const broken = 'export default get(';
const mended = route('get', '() => 2');

/** Open a page, and resolve when it waits to be told. */
async function open(page: Page, url: string): Promise<void> {
  const waits = page.waitForResponse(/\/_fwk\/notice$/);
  await page.goto(url);
  await waits;
}

test('says what is wrong and where until it is mended, and is not loaded again', () =>
  shown(async ({ page, made, server, save, breakBy }) => {
    await open(page, server.url);
    await page.evaluate('globalThis.kept = true');
    assert.is(await page.locator('script').count(), 0);
    const alert = page.getByRole('alert');
    await breakBy(broken);
    await alert.getByText(`${made.label('api/x.ts')}:1`).waitFor();
    await alert.getByText('The last save is not served').waitFor();
    const [all, ...more] = await alert.getByRole('link').all();
    assert.equal(more, []);
    assert.is(await all?.getAttribute('href'), `${server.url}/_fwk`);
    await page.getByRole('button', { name: 'Hide' }).click();
    await alert.waitFor({ state: 'detached' });
    await breakBy(`${broken}1,`);
    await alert.waitFor();
    await save({ 'api/x.ts': mended });
    await alert.waitFor({ state: 'detached' });
    assert.is(await page.evaluate('globalThis.kept'), true);
  }));

test('opened anew it says so too, whatever policy it has, and all that comes of the project is text', () =>
  shown(async ({ page, server, save, breakBy }) => {
    await breakBy(`throw new Error(${JSON.stringify(evil)});`);
    for (const path of sampled(
      ['/', '/none', '/nonce', '/types', '/inline', '/base', '/two', '/still.html'],
      3,
    )) {
      await page.goto(server.url + path);
      await page.getByRole('alert').getByText(evil).waitFor();
      assert.equal([await page.title(), await page.locator('h1').textContent()], ['fine', 'page'], path);
    }
    await save({ 'api/x.ts': mended });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  }));

test('neither it nor the dev page keeps fwk dev from ending', () =>
  inContext(async (context) => {
    const server = await dev(project(files));
    for (const path of ['/', '/_fwk']) {
      const page = await context.newPage();
      const waits = page.waitForResponse(/\/_fwk\/(?:notice|events)$/);
      await page.goto(server.url + path);
      await waits;
    }
    // It rejects where one was waited for in vain.
    await server.stop();
  }));

unsampled(test)('axe-core finds nothing in it, on a phone, in light and dark', () =>
  shown(async ({ page, server, breakBy }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    await breakBy(`throw new Error('${'x'.repeat(2_000)}');`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${server.url}/still.html`);
      const alert = page.getByRole('alert');
      await alert.getByText('xxx').waitFor();
      assert.equal(await violationsOf(page, 5), []);
      assert.not.ok(await isTooWide(page));
      const box = await alert.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 360 && box.height <= 320, JSON.stringify(box));
      // It stays in sight, however long the list is.
      const button = await page.getByRole('button', { name: 'Hide' }).boundingBox();
      assert.ok(button && button.y + button.height <= box.y + box.height, JSON.stringify([button, box]));
    }
  }),
);

if (hasBrowser) test.run();
