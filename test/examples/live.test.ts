import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Shop } from './shop.js';

// The page of a book in a real browser: a socket and events, by the typed client, through an edit of the code
// behind them.

const executablePath = '/usr/bin/chromium';
const test = suite('a live page');
const args =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

async function live(): Promise<void> {
  const shop = new Shop();
  await shop.open();
  const browser = await chromium.launch({ executablePath, args: args.split(' ') });
  try {
    const open = async () => {
      const page = await browser.newPage({ baseURL: shop.server.url });
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

    // Written before or after the browsers are back: nothing is missed.
    await review('The edit has not stopped me.');
    for (const page of [first, second]) await page.getByText('The edit has not stopped me.').waitFor();
    assert.is(await first.getByText('Read twice').count(), 1, 'nothing is shown twice');

    await second.close();
    await first.getByText('10 reading this now').waitFor();
  } finally {
    await browser.close();
    await shop.close();
  }
}

const name = 'readers and reviews come and go while the code changes';
if (existsSync(executablePath)) test(name, live);
else {
  console.log(`There is no ${executablePath}: the page is not tried in a browser.`);
  test.skip(name, live);
}

test.run();
