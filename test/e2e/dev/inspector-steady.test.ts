import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { request } from '../../harness/http.js';
import { type Inspected, inspected } from '../../harness/inspected.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route } from '../../harness/source.js';

// What somebody reads, has chosen or unfolded on the dev page stays while the app is asked for other things.

const many = Object.fromEntries(
  Array.from({ length: 90 }, (_, index) => [`api/many/r${index}.get.ts`, route('get', '() => 1')]),
);
const files = {
  ...many,
  'api/fine.get.ts': route('get', `() => 'fine'`),
  'api/fails.get.ts': route('get', `() => { throw new Error('it fails'); }`),
  'api/日本.get.ts': route('get', `() => 'far'`),
  'ws/echo.ts': module(
    'ws',
    'export default ws(({ send, onMessage }) => { onMessage((text) => send(text)); });',
  ),
};
const test = suite('the dev page under traffic');
const inContext = contexts(test);

const opened = (hash: string, act: (given: Inspected, page: Page) => Promise<void>): Promise<void> =>
  inspected(files, (given) =>
    inContext(async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${given.server.url}/_fwk#${hash}`);
      await page.getByText('live', { exact: true }).waitFor();
      await act(given, page);
      assert.equal(complaints, []);
    }),
  );

const SCROLLED = 'document.querySelector(".list").scrollTop';

const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.getAttribute("href") ?? document.activeElement.className');

test('the focus, and what is unfolded, stay when requests come', () =>
  opened('requests', async ({ server: { url } }, page) => {
    await request(url, '/api/fails');
    const row = page.getByRole('link', { name: /^500 GET \/api\/fails/ });
    await row.focus();
    await page.getByText('Stack').click();
    await row.focus();
    await request(url, '/api/fine');
    await page.getByText('2 of the last 2').waitFor();
    assert.is(await focused(page), '#requests/1');
    assert.ok(await page.evaluate('document.querySelector("article details").open'));
    await page.getByRole('link', { name: /^Routes/ }).focus();
    await request(url, '/api/fine');
    await page.getByText('3 of the last 3').waitFor();
    assert.is(await focused(page), '#routes');
  }));

test('a request that is read stays when it is not kept any more, and a list that is paused stands still', () =>
  opened('requests', async ({ server: { url } }, page) => {
    await request(url, '/api/fails');
    await page.getByRole('link', { name: /^500 GET \/api\/fails/ }).click();
    const headline = page.getByRole('heading', { name: 'Error: it fails' });
    await headline.waitFor();
    assert.is(await focused(page), 'detail');
    await page.keyboard.press('Escape');
    assert.is(await focused(page), '#requests/1');
    await page.getByRole('button', { name: 'Pause' }).click();
    const ask = async (times: number) => {
      for (let count = 0; count < times; count++) await request(url, '/api/fine');
    };
    await ask(110);
    await page.getByText('1 of the last 1, 110 newer are not listed').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('100 of the last 100').waitFor();
    assert.is(await page.locator('.rows a').count(), 100);
    assert.ok(await headline.isVisible());
  }));

test('of a long list the chosen row stays in sight', () =>
  opened('routes', async (_, page) => {
    const row = page.getByRole('link', { name: /^GET \/api\/many\/r88/ });
    await row.scrollIntoViewIfNeeded();
    const at = await page.evaluate(SCROLLED);
    assert.ok(Number(at) > 500);
    await row.click();
    await page.getByRole('heading', { name: '/api/many/r88' }).waitFor();
    assert.is(await page.evaluate(SCROLLED), at);
    assert.is(await page.locator('.rows [aria-current]').count(), 1);
  }));

test('counts of messages are those of now, and a path is sent as a browser would', () =>
  opened('sockets', async ({ server: { url } }, page) => {
    const peer = await connectSocket(url, '/ws/echo');
    await page.getByRole('row', { name: /\/ws\/echo 0 0 / }).waitFor();
    for (const text of ['a', 'b']) assert.is(await peer.send(text).next(), text);
    await page.getByRole('row', { name: /\/ws\/echo 2 2 / }).waitFor();
    peer.close();
    await page.goto(`${url}/_fwk#try`);
    await page.getByLabel('Path').fill('/api/日本');
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'The response' }).getByText('far').waitFor();
  }));

test('when a proxy has answered for the server, the page is live again with it', () =>
  opened('requests', async ({ server: { url } }, page) => {
    const events = `${url}/_fwk/events`;
    await page.route(events, (one) => one.fulfill({ status: 502, body: 'Bad gateway' }));
    await page.reload();
    await page.getByText('the server is away').waitFor();
    await page.unroute(events);
    await page.getByText('live', { exact: true }).waitFor();
    await request(url, '/api/fine');
    await page.getByText('1 of the last 1').waitFor();
  }));

test('the page is there though its stream is held back', () =>
  inspected(files, ({ server: { url }, get }) =>
    inContext(async (context) => {
      const page = await context.newPage();
      // As a proxy does that gathers what is small: nothing comes of it.
      await page.route(`${url}/_fwk/events`, () => {});
      await page.goto(`${url}/_fwk#routes`);
      await page.getByRole('link', { name: /^GET \/api\/fine/ }).waitFor();
      const { port } = new URL(url);
      const told = await get('/_fwk/state', { origin: `http://shop.test:${port}` });
      assert.is(told.status, 403);
      assert.match(told.text, /A proxy in front has to pass Host on: .*shop\.test/);
    }),
  ));

test('streams say to proxies that they are not to be held back', () =>
  inspected(files, async ({ server: { url } }) => {
    for (const path of ['/_fwk/events', '/_fwk/notice', '/.fwk/dev?x']) {
      const { body, headers } = await fetch(url + path, { signal: AbortSignal.timeout(10_000) });
      assert.is(headers.get('x-accel-buffering'), 'no', path);
      await body?.cancel();
    }
  }));

test('pages that say what is wrong come back when a proxy has answered for the server', () =>
  opened('requests', async ({ made, server: { url } }, page) => {
    const streams = /\/\.fwk\/dev\?|\/_fwk\/notice$/;
    const badGateway = () => page.route(streams, (one) => one.fulfill({ status: 502, body: 'Bad gateway' }));
    const refused = () => page.waitForResponse((answer) => answer.status() === 502);
    await badGateway();
    await Promise.all([refused(), page.goto(`${url}/broken`)]);
    await page.unroute(streams);
    made.write('web/broken.get.ts', route('get', `(req, res) => res.type('html').send('<p>whole')`));
    await page.getByText('whole').waitFor();
    await badGateway();
    await Promise.all([refused(), page.reload()]);
    await page.unroute(streams);
    made.write('web/broken.get.ts', 'export default 5;\n');
    await page.getByText('is not served').waitFor();
  }));

test('nothing that is long makes a page wider than 360 px, and without JavaScript pages say what there is', () =>
  opened('mcp', async ({ made, server: { url } }, page) => {
    made.write(
      'mcp/tools/long.ts',
      `import { tool } from 'fwkit/mcp';
export default tool({ description: '${'d'.repeat(500)}', input: { type: 'object' }, handler: () => 1 });`,
    );
    await page.getByText('dddd').first().waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.not(await isTooWide(page));
    await page.goto(`${url}/thro/${'w'.repeat(300)}`);
    assert.not(await isTooWide(page));
  }).then(() =>
    inspected(files, ({ server: { url } }) =>
      inContext(
        async (context) => {
          const page = await context.newPage();
          for (const [path, said] of [
            ['/_fwk', 'npx fwk routes --verbose'],
            ['/_fwk/docs', 'openapi.json has all'],
          ]) {
            await page.goto(url + path);
            await page.locator('main noscript p').waitFor();
            assert.match(String(await page.locator('noscript').textContent()), said ?? '');
            assert.is(await page.getByText('Reading').count(), 0);
          }
        },
        { javaScriptEnabled: false },
      ),
    ),
  ));

if (hasBrowser) test.run();
