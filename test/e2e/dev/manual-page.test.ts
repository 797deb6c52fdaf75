import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { violationsOf } from '../../harness/accessibility.js';
import { hasBrowser, browser as launch } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

// The manual in a real browser that reaches nothing but the server.

const test = suite('pages of the manual');

const PAGES = [
  '',
  'guide/sessions',
  'guide/validation',
  'reference/options',
  'operate/security',
  'search?q=session',
  'none',
];

async function opened(
  act: (page: Page) => Promise<void>,
  settings: { readonly javaScriptEnabled?: boolean } = {},
): Promise<void> {
  const made = project({ 'api/fine.get.ts': route('get', `() => 'fine'`) });
  const [server, browser] = await Promise.all([dev(made), launch()]);
  try {
    const page = await browser.newPage({ baseURL: `${server.url}/_fwk/manual/`, ...settings });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 404/.test(message.text()))
        complaints.push(message.text());
    });
    await page.route(
      (url) => url.protocol !== 'data:' && url.origin !== server.url,
      async (asked) => {
        complaints.push(asked.request().url());
        await asked.abort();
      },
    );
    await act(page);
    assert.equal(complaints, []);
  } finally {
    await browser.close();
    await server.stop();
  }
}

const use = async (page: Page): Promise<void> => {
  await page.goto('guide/sessions');
  // By keyboard: to the content past all links, and to the search.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.is(await page.evaluate('document.activeElement.id'), 'content');
  await page.keyboard.press('/');
  await page.keyboard.type('rate lim');
  const hit = page.locator('#found a').first();
  await hit.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('#found li:first-child a:focus').waitFor();
  await page.keyboard.press('Escape');
  assert.is(await page.locator('#found').isVisible(), false);
  await page.keyboard.type('its');
  await hit.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Rate limits', level: 1 }).waitFor();
  assert.is(await page.locator('nav [aria-current="page"]').textContent(), 'Rate limits');
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.getByRole('link', { name: /^Previous/ }).click();
  await page.getByRole('heading', { name: 'Rate limits', level: 1 }).waitFor();
};

/** No word is cut, at any width, in any colours, for anybody. */
const look = async (page: Page): Promise<void> => {
  for (const [width, height, colorScheme] of [
    [360, 740, 'dark'],
    [1440, 900, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    for (const path of PAGES) {
      await page.goto(path);
      assert.is(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        true,
        `${path} at ${width}`,
      );
      assert.equal(await violationsOf(page), [], `${path} at ${width}, ${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('');
  await page.getByLabel('Search the manual').fill('session');
  await page.locator('#found a').first().waitFor();
  assert.equal(await violationsOf(page), []);
};

const read = async (page: Page): Promise<void> => {
  await page.goto('');
  await page.getByLabel('Search the manual').fill('renewSession');
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: /Login and logout/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Login and logout' }).waitFor();
  assert.is(await page.locator('.copy').count(), 0);
  assert.ok((await page.locator('pre .k').count()) > 0);
  await page.setViewportSize({ width: 360, height: 740 });
  const link = page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Routes', exact: true });
  await link.waitFor({ state: 'hidden' });
  await page.getByText('All pages').click();
  await link.click();
  await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
};

if (hasBrowser) {
  test('are used by keyboard', () => opened(use));
  test('hold at 360 px and in the dark, without violations that axe-core knows of', () => opened(look));
  test('are read and searched without JavaScript', () => opened(read, { javaScriptEnabled: false }));
}

test.run();
