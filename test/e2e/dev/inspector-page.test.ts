import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { request } from '../../harness/http.js';
import { type Inspected, inspected } from '../../harness/inspected.js';
import { sampled } from '../../harness/sample.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route } from '../../harness/source.js';

// The dev page in a real browser that reaches nothing but the server.

const evil = '<img src=x onerror=document.title="taken">';
const files = {
  'api/echo.post.ts': route(
    'post',
    '(req, res, ctx) => { ctx.logger.info(req.header("x-said") ?? ""); return req.body; }',
  ),
  'api/users/[id].get.ts': route('get', '(req) => ({ id: req.params.id })'),
  'api/fails.ts': route('get', `() => { throw new Error('${evil}'); }`),
  'services/db.ts': module('service', 'export default service(() => "db");'),
  'services/store.ts': module('service', 'export default service((ctx) => ctx.db);'),
  'ws/room.ts': module('ws', 'export default ws(({ join, send }) => { join("<b>tea"); send("in"); });'),
  'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Adds <b>two</b>', input: { type: 'object' }, handler: () => 1 });`,
};

const test = suite('the dev page');
const inContext = contexts(test);

interface Opened extends Inspected {
  readonly page: Page;
  /** What was asked of anybody but the server, and what the browser complained of. */
  readonly complaints: string[];
}

const opened = (act: (opened: Opened) => Promise<void>): Promise<void> =>
  inspected(files, (given) =>
    inContext(async (context) => {
      const { url } = given.server;
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      await page.route(
        ({ protocol, origin }) => protocol !== 'data:' && origin !== url,
        async (one) => {
          complaints.push(one.request().url());
          await one.abort();
        },
      );
      await page.goto(`${url}/_fwk`);
      await page.getByText('live', { exact: true }).waitFor();
      await act({ ...given, page, complaints });
      assert.equal(complaints, []);
      assert.match(await page.title(), / · fwk dev$/);
    }),
  );

const answer = (page: Page) => page.getByRole('status', { name: 'The response' });

test('shows requests as they come, and all of what strangers send as text', () =>
  opened(async ({ page, post, server: { url } }) => {
    await request(url, `/api/users/${encodeURIComponent(evil)}?q=${encodeURIComponent(evil)}`);
    await request(url, `/api/users/<b>bold`);
    await post('/api/echo', { text: evil }, { 'x-said': evil, [`x-${'a'.repeat(5)}`]: evil });
    await request(url, '/api/fails');
    // It is there without being asked for.
    await page.getByRole('link', { name: /^500 GET \/api\/fails/ }).click();
    await page.getByRole('heading', { name: `Error: ${evil}` }).waitFor();
    await page.getByRole('link', { name: /^200 POST \/api\/echo/ }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: `info ${evil}` })
      .waitFor();
    await page.getByRole('row', { name: /^handler/ }).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await answer(page).getByText('200 OK').waitFor();
    await answer(page).getByText(evil.slice(0, 9)).waitFor();
    await page.getByLabel('Filter').fill('bold');
    await page.getByText('1 of the last 5').waitFor();
    assert.is(await page.locator('main img, main b, main script').count(), 0);
  }));

test('by keyboard: routes, one of them, and a request to it', () =>
  opened(async ({ page }) => {
    await page.keyboard.press('2');
    await page
      .getByText('3 of 5 routes')
      .or(page.getByText(/^\d of \d routes$/))
      .waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('users');
    await page.getByText(/^1 of \d routes$/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '/api/users/:id' }).waitFor();
    await page.getByRole('link', { name: 'Try it' }).focus();
    await page.keyboard.press('Enter');
    const typed = page.getByLabel('Path');
    assert.is(await typed.inputValue(), '/api/users/{id}');
    await typed.fill('/api/users/7');
    await page.getByLabel('Headers, one a line').fill('x-a: 1');
    await page.keyboard.press('Control+Enter');
    await answer(page).getByText('"id": "7"').waitFor();
    await page.getByLabel('Headers, one a line').fill('nonsense');
    await page.getByRole('button', { name: 'Send' }).click();
    await answer(page).getByText('is no header').waitFor();
  }));

test('shows ctx, sockets, rooms, MCP and reloads as they are now', () =>
  opened(async ({ page, made, server }) => {
    await page.getByRole('link', { name: /^ctx/ }).click();
    await page.getByRole('row', { name: /^ctx\.store singleton \S+ db none of them$/ }).waitFor();
    await page.getByRole('row', { name: /^ctx\.db singleton \S+ – store$/ }).waitFor();
    // Routes and middlewares read values, too: which is not known.
    await page.getByRole('columnheader', { name: 'Services and values that read it' }).waitFor();
    assert.is(await page.locator('svg path.edge').count(), 1);
    await page.getByRole('link', { name: /^Sockets/ }).click();
    const peer = await connectSocket(server.url, '/ws/room');
    await page.getByRole('row', { name: '<b>tea 1' }).waitFor();
    peer.close();
    await page.getByText('No socket is open').waitFor();
    await page.getByRole('link', { name: /^MCP/ }).click();
    await page.getByText('Adds <b>two</b>').first().waitFor();
    await page.getByRole('link', { name: /^Reloads/ }).click();
    made.write('api/new.ts', route('get', '() => 1'));
    await page.getByText('GET /api/new').waitFor();
    made.write('api/new.ts', 'export default 5;\n');
    await page.getByRole('alert').getByText('api/new.ts').waitFor();
    made.remove('api/new.ts');
    await page.getByRole('alert').getByText('api/new.ts').waitFor({ state: 'hidden' });
  }));

test('axe-core finds nothing, in light and dark, and nothing is wider than 360 px', () =>
  opened(async ({ page, post, made, server: { url } }) => {
    await post('/api/echo', { text: 'x'.repeat(500) });
    await request(url, `/api/users/${'long'.repeat(60)}`);
    await request(url, '/api/fails');
    const peer = await connectSocket(url, '/ws/room');
    made.write('api/new.ts', 'export default 5;\n');
    await page.getByRole('alert').getByText('api/new.ts').waitFor();
    // A policy forbids what is not the page's own.
    await page.evaluate(
      `window.trustedTypes && trustedTypes.createPolicy('default', { createScript: (text) => text })`,
    );
    const views = [
      'requests',
      'requests/3',
      'requests/1',
      'routes',
      'routes/GET%20%2Fapi%2Fusers%2F%3Aid',
      'try',
      'ctx',
      'sockets',
      'mcp',
      'reloads',
    ];
    const looks = sampled(
      [1280, 360].flatMap((width) =>
        (['light', 'dark'] as const).map((colorScheme) => ({ colorScheme, width })),
      ),
      3,
    );
    for (const view of sampled(views, 3)) {
      await page.evaluate(`location.hash = '${view}'`);
      await page.locator('#tabs [aria-current]').waitFor();
      if (view.includes('/')) await page.locator('.detail h2').waitFor();
      for (const { colorScheme, width } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await violationsOf(page, 11), [], `${view} ${colorScheme} ${width}`);
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(wide) <= 0, `${view} is ${wide} px wider than ${width}`);
        const { SCREENSHOTS: folder } = process.env;
        const name = `${view.replace(/\W+/g, '-').slice(0, 20)}-${colorScheme}-${width}.png`;
        if (folder) await page.screenshot({ path: `${folder}${name}` });
      }
    }
    peer.close();
  }));

if (hasBrowser) test.run();
