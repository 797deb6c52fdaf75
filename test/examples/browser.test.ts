import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { hasBrowser, browser as launch } from '../harness/browser.js';
import { isSample } from '../harness/sample.js';
import { Shop } from './shop.js';

// The bookshop's pages in a real browser, where one is installed.

const test = suite('bookshop in a browser');
async function reads(): Promise<void> {
  const shop = new Shop();
  await shop.open();
  const browser = await launch();
  try {
    const page = await browser.newPage({ baseURL: shop.server.url });
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
    if (process.env.SCREENSHOTS) {
      for (const path of ['/', '/books/middlemarch', '/books/middlemarch/review', '/login']) {
        await page.goto(path);
        await page.screenshot({ path: `${process.env.SCREENSHOTS}${path.replaceAll('/', '-')}.png` });
      }
    }
  } finally {
    await browser.close();
    await shop.close();
  }
}

async function uploads(): Promise<void> {
  const shop = new Shop();
  await shop.open();
  const browser = await launch();
  try {
    const page = await browser.newPage({ baseURL: shop.server.url });
    await page.goto('/admin');
    assert.match(page.url(), /\/login$/, 'a stranger is sent to the login');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('analytical engine');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Hello, Ada').waitFor();

    const upload = async (name: string, buffer: Buffer) => {
      await page.goto('/admin');
      const row = page.locator('li', { hasText: 'Middlemarch' });
      await row.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
      await row.getByRole('button', { name: 'Upload' }).click();
    };
    await upload('no-picture.png', Buffer.from('just text'));
    await page
      .locator('li', { hasText: 'Middlemarch' })
      .getByText('Choose a PNG, JPEG or GIF image.')
      .waitFor();

    await upload('cover.png', await page.screenshot());
    const cover = page.getByAltText('Cover of Middlemarch');
    await cover.waitFor();
    // Evaluated in the page, whose names this file does not know: the image has been decoded.
    assert.ok(
      Number(
        await page.evaluate(
          'document.querySelector(".cover").decode().then(() => document.querySelector(".cover").naturalWidth)',
        ),
      ) > 100,
    );
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}-cover.png` });
      await page.goto('/admin');
      await page.screenshot({ path: `${process.env.SCREENSHOTS}-admin.png` });
    }
  } finally {
    await browser.close();
    await shop.close();
  }
}

async function isUsable(): Promise<void> {
  const shop = new Shop();
  await shop.open();
  const browser = await launch();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 360, height: 740 };
      const page = await (
        await browser.newContext({ baseURL: shop.server.url, colorScheme, viewport })
      ).newPage();
      for (const path of ['/', '/books/middlemarch', '/login']) {
        await page.goto(path);
        assert.equal(await violationsOf(page), [], `${path} ${colorScheme}`);
        assert.not(await isTooWide(page), path);
      }
    }
  } finally {
    await browser.close();
    await shop.close();
  }
}

const cases = {
  'its pages are for everybody, dark and at 360 px, too': isUsable,
  'a reader searches, logs in and reviews': reads,
  'an admin uploads a cover': uploads,
};
for (const [sentence, run] of Object.entries(cases)) {
  if (hasBrowser && !(isSample && run === isUsable)) test(sentence, run);
  else test.skip(sentence, run);
}

test.run();
