import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { contexts, hasBrowser } from '../harness/browser.js';
import { unsampled } from '../harness/sample.js';
import { Shop } from './shop.js';

const shop = new Shop();
const test = suite('bookshop in a browser');
test.before(() => shop.open());
test.after(() => shop.close());
const inContext = contexts(test);
const options = () => ({ baseURL: shop.server.url });

unsampled(test)('a reader searches, logs in and reviews', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    await page.goto('/');
    await page.getByLabel('Search').fill('eliot');
    await page.getByText('2 books').waitFor();
    assert.equal(await page.locator('#books a').allTextContents(), ['Middlemarch', 'Silas Marner']);
    assert.is(new URL(page.url()).search, '', 'the typed client has fetched them');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL('/?search=eliot');
    await page.getByText('2 books').waitFor();

    await page.goto('/login');
    await page.getByLabel('Email').fill('bob@example.com');
    await page.getByLabel('Password').fill('builder of sheds');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Hello, Bob').waitFor();

    const text = '<script>document.title = "taken"</script>';
    await page.goto('/books/middlemarch/review');
    await page.getByLabel('Stars').fill('6');
    await page.getByLabel('Review').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Choose 1 to 5 stars.').waitFor();
    assert.is(await page.locator('textarea').inputValue(), text);
    await page.locator('input[name=rating]').fill('5');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(text).waitFor();
    assert.is(await page.title(), 'Middlemarch');
    assert.is((await page.goto('/admin'))?.status(), 403);
  }, options()),
);

unsampled(test)('an admin uploads a cover', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    await page.goto('/admin');
    assert.match(page.url(), /\/login$/, 'a stranger is sent to the login');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('analytical engine');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Hello, Ada').waitFor();

    const row = page.locator('li', { hasText: 'Middlemarch' });
    const upload = async (name: string, buffer: Buffer) => {
      await page.goto('/admin');
      await row.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
      await row.getByRole('button', { name: 'Upload' }).click();
    };
    await upload('no-picture.png', Buffer.from('just text'));
    await row.getByText('Choose a PNG, JPEG or GIF image.').waitFor();
    await upload('cover.png', await page.screenshot());
    await page.getByAltText('Cover of Middlemarch').waitFor();
    // Runs in the page: the image has been decoded.
    const width = await page.evaluate(
      'document.querySelector(".cover").decode().then(() => document.querySelector(".cover").naturalWidth)',
    );
    assert.ok(Number(width) > 100);
  }, options()),
);

test('readers and reviews appear on a live page while the code changes', () =>
  inContext(async (context) => {
    const open = async () => {
      const page = await context.newPage();
      await page.goto('/books/frankenstein');
      return page;
    };
    const as = await shop.bob();
    const review = (text: string) => shop.call('POST', '/books/1/reviews', { as, body: { rating: 4, text } });

    const first = await open();
    await first.getByText('1 reading this now').waitFor();
    const second = await open();
    for (const page of [first, second]) await page.getByText('2 reading this now').waitFor();
    assert.is((await review('Read twice, <b>cried</b> once.')).status, 201);
    for (const page of [first, second])
      await page.getByText('★★★★ Read twice, <b>cried</b> once. Bob').waitFor();

    const closed = first.waitForEvent('websocket').then(() => 'connected again');
    const file = 'ws/books/[slug]/readers.ts';
    const mark = shop.server.output.mark();
    shop.project.write(
      file,
      shop.project.read(file).replaceAll('publish(room, { reading: ', 'publish(room, { reading: 10 * '),
    );
    await shop.server.waitFor(/reloaded/, mark);
    for (const page of [first, second]) await page.getByText('20 reading this now').waitFor();
    const still = new Promise((resolve) => setImmediate(resolve, 'the same connection'));
    assert.is(await Promise.race([closed, still]), 'the same connection');
    closed.catch(() => {});

    // Whether written before or after the browsers reconnect, it arrives.
    await review('The edit has not stopped me.');
    for (const page of [first, second]) await page.getByText('The edit has not stopped me.').waitFor();
    assert.is(await first.getByText('Read twice').count(), 1, 'nothing is shown twice');

    await second.close();
    await first.getByText('10 reading this now').waitFor();
  }, options()));

unsampled(test)('its pages are accessible, also dark and at 360 px', async () => {
  for (const colorScheme of ['light', 'dark'] as const)
    await inContext(
      async (context) => {
        const page = await context.newPage();
        for (const path of ['/', '/books/middlemarch', '/login']) {
          await page.goto(path);
          assert.equal(await violationsOf(page), [], `${path} ${colorScheme}`);
          assert.not(await isTooWide(page), path);
        }
      },
      { ...options(), colorScheme, viewport: { width: 360, height: 740 } },
    );
});

if (hasBrowser) test.run();
