import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { PRINTED, PROGRAM } from './clients.js';
import { FIXTURE } from './fixture.js';
import { Judged } from './tools.js';

const test = suite('the docs page, and generated clients');

const made = project(FIXTURE);
linkLibraries(made);
const server = await dev(made);
test.after(async () => void (await server.stop()));
const inContext = contexts(test);

interface Opened {
  readonly page: Page;
  /** Requests to other origins, and errors of the browser. */
  readonly complaints: string[];
}

const opened = (act: (opened: Opened) => Promise<void>): Promise<void> =>
  inContext(
    async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.route(
        (url) => url.protocol !== 'data:' && url.origin !== server.url,
        async (route) => {
          complaints.push(route.request().url());
          await route.abort();
        },
      );
      await page.goto('/_fwk/docs');
      await page.getByText(/^\d+ of \d+ operations$/).waitFor();
      await act({ page, complaints });
    },
    { baseURL: server.url },
  );

const answer = (page: Page) => page.getByRole('status', { name: 'The response' });

const use = async ({ page, complaints }: Opened): Promise<void> => {
  // By keyboard: search, open the result, fill in the form, send.
  await page.keyboard.press('/');
  await page.keyboard.type('books zod post shelves');
  await page.getByText(/^1 of \d+ operations$/).waitFor();
  await page.getByRole('link', { name: /^POST .*books Add a book$/ }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Add a book' }).waitFor();
  assert.match(page.url(), /#postApiV1ZodShelvesByShelfBooks$/);
  await page.getByLabel('shelf').fill('a/b');
  const body = page.getByLabel('Body', { exact: true });
  assert.equal(JSON.parse(await body.inputValue()), { title: '' });
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page).getByText('422 Unprocessable Entity').waitFor();
  await body.fill('{"title": "<img src=x onerror=alert(1)>"}');
  await page.keyboard.press('Control+Enter');
  await answer(page).getByText('201 Created').waitFor();
  await answer(page).getByText('"title": "<img src=x onerror=alert(1)>"').waitFor();

  const open = async (id: string): Promise<void> => {
    await page.evaluate(`location.hash = '${id}'`);
    await page.locator(`a[aria-current="page"][href="#${id}"]`).waitFor({ state: 'attached' });
  };
  await page.getByLabel('Search').fill('');
  // A route without a title shows its path; every title here was written by hand.
  const titles = await page.getByRole('navigation').locator('small').allTextContents();
  assert.equal([...new Set(titles)], ['Add a book']);
  // A list, a number and a boolean in the query.
  await open('getApiV1ZodBooks');
  await page.getByLabel('page').fill('3');
  await page.getByLabel('tags').fill('a\nb');
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page).getByText('"title": "a,b"').waitFor();
  // A description is shown as text; a file is sent as a form.
  await open('postApiUpload');
  await page.getByText('Takes a <script>alert(1)</script> file.').waitFor();
  await page.getByLabel('name').fill('it');
  await page
    .getByLabel('file')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page).getByText('"text": "hello"').waitFor();
  assert.is(await page.locator('main script, main img').count(), 0);
  // A recursive schema can be unfolded without limit.
  await open('getApiV1ZodTree');
  for (const depth of [0, 1, 2]) await page.locator('summary', { hasText: 'parts' }).nth(depth).click();
  await page.locator('summary', { hasText: 'parts' }).nth(3).waitFor();
  // A rest parameter keeps its slashes.
  await open('getApiFilesAllRest');
  await page.getByLabel('rest').fill('a/b c');
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page).getByText('"rest": "a/b c"').waitFor();
  // A stream is shown as it comes, and can be stopped.
  await open('getApiEvents');
  await page.getByLabel('from').fill('5');
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page).getByText('data: {"n":5}').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await answer(page).getByText('Stopped.').waitFor();
  // The policy forbids anything from another origin.
  await page.evaluate(
    `window.trustedTypes && trustedTypes.createPolicy('default', { createScript: (text) => text })`,
  );
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await violationsOf(page, 11), [], colorScheme);
    assert.not(await isTooWide(page), `wider than ${width}`);
  }
  const expected =
    'Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)';
  assert.equal(complaints, [expected]);
};

if (hasBrowser) test('finds, shows and sends', () => opened(use));

test('generated clients call the server and know its types', async () => {
  const served = await (await server.fetch('/openapi.json')).text();
  assert.equal(await new Judged(served).clients(PROGRAM, server.url), PRINTED);
});

test.run();
