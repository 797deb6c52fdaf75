import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { hasBrowser, browser as launch } from '../harness/browser.js';
import { freePort } from '../harness/free-port.js';
import { ended, start } from '../harness/fwk.js';
import { request } from '../harness/http.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { build, production } from '../harness/settings.js';
import { HANDSHAKE } from '../harness/socket.js';
import { copyOf } from './example.js';

const chat = copyOf('chat', ['zod', '@redis/client']);

const serve = (port: number, ...variables: readonly string[]) =>
  production(chat, 'dist/main.js', process.execPath, [`PORT=${port}`, ...variables]);

/** Somebody enters a room by the door. */
async function enter(browser: Browser, url: string, nickname: string, options = {}): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, ...options });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByLabel('Your nickname').fill(nickname);
  await page.getByLabel('Room').selectOption('tea');
  await page.keyboard.press('Enter');
  await page.getByRole('log', { name: 'What is said in tea' }).waitFor();
  await page.getByText(/^\d+ here$/).waitFor();
  return page;
}

const say = async (page: Page, text: string) => {
  await page.getByLabel('Your line').fill(text);
  await page.keyboard.press('Enter');
};
const hears = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).waitFor();
const linesOf = async (page: Page) =>
  (await page.getByRole('listitem').allTextContents()).map((line) => line.replace(/\d\d?:\d\d.*$/, ''));

const machines = suite('chat on two machines');
const one = suite('chat on one machine');
machines.before(() => build(chat).then(() => {}));
one.before(() => build(chat).then(() => {}));

async function together(): Promise<void> {
  const redis = await redisServer();
  const variable = `REDIS_URL=${redis.url}`;
  const second = await freePort();
  const a = await serve(0, variable);
  let b = await serve(second, variable);
  const browser = await launch();
  try {
    const ada = await enter(browser, a.url, 'Ada');
    const bob = await enter(browser, b.url, 'Bob');
    for (const page of [ada, bob]) await page.getByText('2 here').waitFor();
    await say(ada, 'Is there tea?');
    await say(bob, 'There is.');
    for (const page of [ada, bob]) {
      await hears(page, 'Is there tea?');
      await hears(page, 'There is.');
    }
    await bob.getByLabel('Your line').pressSequentially('Gre');
    await ada.getByText('Bob is typing…').waitFor();

    // A nickname is known on both machines.
    const tab = await ada.context().newPage();
    await tab.goto(`${b.url}/rooms/tea`);
    await hears(tab, 'There is.');
    await ada.getByText('3 here').waitFor();
    await tab.close();
    await ada.getByText('2 here').waitFor();

    // A machine restarts: its visitors miss nothing and receive nothing twice.
    await b.stop();
    await bob.getByText('The connection is away').waitFor();
    await say(ada, 'Where are you?');
    await hears(ada, 'Where are you?');
    b = await serve(second, variable);
    await hears(bob, 'Where are you?');
    assert.equal(await linesOf(bob), ['AdaIs there tea?', 'BobThere is.', 'AdaWhere are you?']);
    for (const page of [ada, bob]) await page.getByText('2 here').waitFor();
    await say(bob, 'Here again.');
    await hears(ada, 'Here again.');
  } finally {
    await browser.close();
    await a.stop();
    await b.stop();
    await redis.stop();
  }
}

async function page(): Promise<void> {
  const { url, stop } = await serve(0);
  const browser = await launch();
  try {
    const refused = await request(url, '/ws/rooms/tea', { headers: HANDSHAKE });
    assert.is(refused.status, 401, 'there is no way in without a nickname');

    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { colorScheme, viewport: { width: 360, height: 740 } };
      const context = await browser.newContext({ baseURL: url, ...options });
      const door = await context.newPage();
      await door.goto('/');
      assert.equal(await violationsOf(door), [], `door, ${colorScheme}`);
      await door.getByLabel('Your nickname').fill('<b>');
      await door.getByRole('button', { name: 'Enter' }).click();
      await door.getByText('A nickname has 1 to 24 letters').waitFor();
      assert.equal(await violationsOf(door), [], `mistake, ${colorScheme}`);

      const room = await enter(browser, url, `Ada ${colorScheme}`, options);
      await say(room, `${colorScheme} <img src=x onerror=alert(1)> ${'long'.repeat(60)}`);
      await hears(room, `${colorScheme} <img src=x`);
      assert.equal(await violationsOf(room), [], `room, ${colorScheme}`);
      assert.not(await isTooWide(room), colorScheme);
      // The lines are scrolled by keyboard; the next key returns to the field.
      await room.getByRole('log').focus();
      await room.keyboard.press('Tab');
      assert.is(await room.evaluate('document.activeElement.id'), 'text');
    }

    const flood = await enter(browser, url, 'Mallory');
    for (let index = 0; index < 12; index += 1) await say(flood, `line ${index}`);
    await flood.getByText('Slowly: one line a second.').waitFor();
    assert.ok((await linesOf(flood)).filter((line) => line.startsWith('Malloryline')).length < 12);
  } finally {
    await browser.close();
    await stop();
  }
}

one('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], chat.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 3$/m);
});

const sentences = {
  together: 'two people on two machines chat, and miss nothing while one machine restarts',
  page: 'the pages: keyboard, dark mode, 360 px, and rate limiting',
};
if (hasBrowser) {
  machines(sentences.together, together);
  one(sentences.page, page);
} else {
  machines.skip(sentences.together, together);
  one.skip(sentences.page, page);
}

withRedis(machines).run();
one.run();
