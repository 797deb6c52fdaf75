import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { inspecting } from '../../harness/dev-page.js';
import { request } from '../../harness/http.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { connectSocket } from '../../harness/socket.js';
import { postRoute, route, service, wsModule } from '../../harness/source.js';

// The dev page in a real browser that reaches only the server. Input, selection and unfolded rows survive updates.

const evil = '<img src=x onerror=document.title="taken">';
const many = Object.fromEntries(
  Array.from({ length: 15 }, (_, index) => [`api/many/r${index}.get.ts`, route('get', '() => 1')]),
);
const files = {
  ...many,
  'api/echo.post.ts': postRoute(
    '(req, res, ctx) => { ctx.logger.info(req.header("x-said") ?? ""); return req.body; }',
  ),
  'api/users/[id].get.ts': route('get', '(req) => ({ id: req.params.id })'),
  'api/fails.ts': route('get', `() => { throw new Error('${evil}'); }`),
  'services/db.ts': service('() => "db"'),
  'services/store.ts': service('(ctx) => ctx.db'),
  'api/fine.get.ts': route('get', `() => 'fine'`),
  'api/日本.get.ts': route('get', `() => 'far'`),
  'ws/echo.ts': wsModule('({ send, onMessage }) => { onMessage((text) => send(text)); }'),
  'ws/room.ts': wsModule('({ join, send }) => { join("<b>tea"); send("in"); }'),
  'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Adds <b>two</b>', input: { type: 'object' }, handler: () => 1 });`,
};

const test = suite('the dev page');
const inContext = contexts(test);

const { get, post, read, made, server } = await inspecting(test, files);
const { url } = server;

/** Opens the dev page while `act` runs. It may only contact the server, and the browser must report no errors. */
const opened = (act: (page: Page) => Promise<void>, hash = ''): Promise<void> =>
  inContext(async (context) => {
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
    await page.goto(`${url}/_fwk#${hash}`);
    await page.getByText('live', { exact: true }).waitFor();
    await act(page);
    assert.equal(complaints, []);
    assert.match(await page.title(), / · fwk dev$/);
  });

const answer = (page: Page) => page.getByRole('status', { name: 'The response' });

test('shows requests as they arrive, with all client data as text', () =>
  opened(async (page) => {
    await request(url, `/api/users/${encodeURIComponent(evil)}?q=${encodeURIComponent(evil)}`);
    await request(url, `/api/users/<b>bold`);
    await post('/api/echo', { text: evil }, { 'x-said': evil, [`x-${'a'.repeat(5)}`]: evil });
    await request(url, '/api/fails');
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

test('by keyboard: routes, a single route, and a request to it', () =>
  opened(async (page) => {
    await page.keyboard.press('2');
    await page.getByText(/^\d+ of \d+ routes$/).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('users');
    await page.getByText(/^1 of \d+ routes$/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '/api/users/:id' }).waitFor();
    await page.getByRole('link', { name: 'Try it' }).focus();
    await page.keyboard.press('Enter');
    const typed = page.getByLabel('Path');
    assert.is(await typed.inputValue(), '/api/users/{id}');
    await typed.fill('/api/users/7');
    await page.getByLabel('Headers, one per line').fill('x-a: 1');
    await page.keyboard.press('Control+Enter');
    await answer(page).getByText('"id": "7"').waitFor();
    await page.getByLabel('Headers, one per line').fill('nonsense');
    await page.getByRole('button', { name: 'Send' }).click();
    await answer(page).getByText('is not a header').waitFor();
  }));

unsampled(test)('shows the current ctx, sockets, rooms, MCP and reloads', () =>
  opened(async (page) => {
    await page.getByRole('link', { name: /^ctx/ }).click();
    await page.getByRole('row', { name: /^ctx\.store singleton \S+ db none of them$/ }).waitFor();
    await page.getByRole('row', { name: /^ctx\.db singleton \S+ – store$/ }).waitFor();
    // Routes and middlewares read values, too: which is not known.
    await page.getByRole('columnheader', { name: 'Services and values that read it' }).waitFor();
    await page.getByRole('link', { name: /^Sockets/ }).click();
    const peer = await connectSocket(url, '/ws/room');
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
  }),
);

test('axe-core finds no violation in light and dark mode, and the page fits 360 px', () =>
  opened(async (page) => {
    await post('/api/echo', { text: 'x'.repeat(500) });
    await request(url, `/api/users/${'long'.repeat(60)}`);
    await request(url, '/api/fails');
    const peer = await connectSocket(url, '/ws/room');
    made.write('api/new.ts', 'export default 5;\n');
    await page.getByRole('alert').getByText('api/new.ts').waitFor();
    // The policy forbids anything from another origin.
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
    const looks = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 360 },
    ] as const;
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
    made.remove('api/new.ts');
    await page.getByRole('alert').getByText('api/new.ts').waitFor({ state: 'hidden' });
  }));

const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.getAttribute("href") ?? document.activeElement.className');

const count = async (): Promise<number> => ((await read('/_fwk/state', 'requests')) as unknown[]).length;

unsampled(test)('focus and unfolded details stay when requests arrive', () =>
  opened(async (page) => {
    await request(url, '/api/fails');
    const id = await count();
    const row = page.locator(`a[href="#requests/${id}"]`);
    await row.focus();
    await page.getByText('Stack').first().click();
    await row.focus();
    await request(url, '/api/fine');
    await page.getByText(`${id + 1} of the last ${id + 1}`).waitFor();
    assert.is(await focused(page), `#requests/${id}`);
    assert.ok(await page.evaluate('document.querySelector("article details[open]") !== null'));
    await page.getByRole('link', { name: /^Routes/ }).focus();
    await request(url, '/api/fine');
    await page.getByText(`${id + 2} of the last ${id + 2}`).waitFor();
    assert.is(await focused(page), '#routes');
  }),
);

unsampled(test)(
  'a selected request stays after it is dropped from the list, and a paused list does not change',
  () =>
    opened(async (page) => {
      await request(url, '/api/fails');
      const id = await count();
      await page.getByText(`${id} of the last ${id}`).waitFor();
      await page.locator(`a[href="#requests/${id}"]`).click();
      const headline = page.locator('.detail').getByRole('heading', { name: `Error: ${evil}` });
      await page.locator('.detail h2').waitFor();
      await headline.waitFor();
      assert.is(await focused(page), 'detail');
      await page.keyboard.press('Escape');
      assert.is(await focused(page), `#requests/${id}`);
      await page.getByRole('button', { name: 'Pause' }).click();
      for (let times = 0; times < 110; times++) await request(url, '/api/fine');
      await page.getByText(`${id} of the last ${id}, 110 newer are not listed`).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('100 of the last 100').waitFor();
      assert.is(await page.locator('.rows a').count(), 100);
      assert.ok(await headline.isVisible());
    }),
);

unsampled(test)('the selected row of a long list stays visible', () =>
  opened(async (page) => {
    await page.setViewportSize({ width: 1280, height: 400 });
    const scrolled = () => page.evaluate('document.querySelector(".list").scrollTop');
    const row = page.getByRole('link', { name: /^GET \/api\/many\/r14/ });
    await row.scrollIntoViewIfNeeded();
    const at = await scrolled();
    assert.ok(Number(at) > 200, String(at));
    await row.click();
    await page.getByRole('heading', { name: '/api/many/r14' }).waitFor();
    assert.is(await scrolled(), at);
    assert.is(await page.locator('.rows [aria-current]').count(), 1);
  }, 'routes'),
);

unsampled(test)('message counts are live, and a path is encoded as a browser does', () =>
  opened(async (page) => {
    const peer = await connectSocket(url, '/ws/echo');
    await page.getByRole('row', { name: /\/ws\/echo 0 0 / }).waitFor();
    for (const text of ['a', 'b']) assert.is(await peer.send(text).next(), text);
    await page.getByRole('row', { name: /\/ws\/echo 2 2 / }).waitFor();
    peer.close();
    await page.goto(`${url}/_fwk#try`);
    await page.getByLabel('Path').fill('/api/日本');
    await page.keyboard.press('Enter');
    await answer(page).getByText('far').waitFor();
  }, 'sockets'),
);

const badGateway = (page: Page, streams: RegExp) =>
  page.route(streams, (one) => one.fulfill({ status: 502, body: 'Bad gateway' }));

unsampled(test)('the page works if a proxy answers for the server or buffers its stream', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    const events = /\/_fwk\/events$/;
    await badGateway(page, events);
    await page.goto(`${url}/_fwk#routes`);
    await page.getByText('the server is unavailable').waitFor();
    await page.unroute(events);
    await page.getByText('live', { exact: true }).waitFor();
    // Like a proxy that buffers small responses: no event arrives.
    await page.route(events, () => {});
    await page.reload();
    await page.getByRole('link', { name: /^GET \/api\/fine/ }).waitFor();
    const response = await get('/_fwk/state', { origin: `http://shop.test:${new URL(url).port}` });
    assert.is(response.status, 403);
    assert.match(response.text, /If there is a proxy in front, it must pass Host on: .*shop\.test/);
  }),
);

unsampled(test)('streams ask proxies not to buffer them', async () => {
  for (const path of ['/_fwk/events', '/.fwk/dev?x']) {
    const { body, headers } = await fetch(url + path, { signal: AbortSignal.timeout(10_000) });
    assert.is(headers.get('x-accel-buffering'), 'no', path);
    await body?.cancel();
  }
});

unsampled(test)('an error page recovers after a proxy has answered for the server', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    const streams = /\/\.fwk\/dev\?/;
    await badGateway(page, streams);
    const refused = page.waitForResponse((one) => one.status() === 502);
    await Promise.all([refused, page.goto(`${url}/broken`)]);
    await page.unroute(streams);
    made.write('web/broken.get.ts', route('get', `(req, res) => res.type('html').send('<p>whole')`));
    await page.getByText('whole').waitFor();
  }),
);

unsampled(test)('long texts do not make a page wider than 360 px', () =>
  opened(async (page) => {
    made.write(
      'mcp/tools/long.ts',
      `import { tool } from 'fwkit/mcp';
export default tool({ description: '${'d'.repeat(500)}', input: { type: 'object' }, handler: () => 1 });`,
    );
    await page.getByText('dddd').first().waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.not(await isTooWide(page));
  }, 'mcp'),
);

unsampled(test)('without JavaScript, pages name the alternative', () =>
  inContext(
    async (context) => {
      const page = await context.newPage();
      for (const [path, expected] of [
        ['/_fwk', 'npx fwk routes --verbose'],
        ['/_fwk/docs', 'openapi.json has all'],
      ]) {
        await page.goto(url + path);
        await page.locator('main noscript p').waitFor();
        assert.match(String(await page.locator('noscript').textContent()), expected ?? '');
      }
    },
    { javaScriptEnabled: false },
  ),
);

test('an open page does not keep fwk dev running', () =>
  inContext(async (context) => {
    const page = await context.newPage();
    await page.goto(`${url}/_fwk`);
    await page.getByText('live', { exact: true }).waitFor();
    // It rejects if it waits for the page in vain.
    await server.stop();
  }));

if (hasBrowser) test.run();
