import type { Frame, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { connected } from '../../harness/mcp-clients.js';
import { mcpHost, SANDBOXES, type Shown } from '../../harness/mcp-host.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { pages } from './pages-project.js';

const made = project(pages);
linkLibraries(made);
const site = await dev(made);
const host = hasBrowser ? await mcpHost() : undefined;

const MODES = { 'with sessions': 'legacy', stateless: { pin: '2026-07-28' } } as const;

const test = suite('pages for tools');
const inContext = contexts(test);

test.after(async () => {
  host?.close();
  await site.stop();
});

type Act = (view: Frame, tab: Page) => Promise<void>;

/** Show the result of a tool in a host. Fails if the console of the page reports an error. */
const shown = (given: Omit<Shown, 'mcp'>, act: Act) =>
  inContext(async (context) => {
    const tab = await context.newPage();
    const errors: string[] = [];
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    tab.on('pageerror', ({ message }) => errors.push(message));
    const view = await host?.show(tab, { mcp: `${site.url}/mcp`, ...given });
    if (view) await act(view, tab);
    assert.equal(errors, []);
  });

async function becomes(view: Frame, selector: string, text: string): Promise<void> {
  const given = [selector, text] as const;
  const hasText = ([one, expected]: readonly [string, string]) =>
    Object(globalThis).document.querySelector(one)?.textContent === expected;
  await view.waitForFunction(hasText, given, { timeout: 5_000 }).catch(async () => {
    throw new Error(`${selector} is not "${text}" in ${await view.content()}`);
  });
}

const starsOf = (view: Frame) => view.textContent('#stars');

if (host)
  for (const [protocol, mode] of Object.entries(MODES))
    for (const sandbox of sampled(SANDBOXES))
      test(`${protocol}, ${sandbox}: a template is shown, and its forms call tools`, async () => {
        await shown({ name: 'bookShow', args: { id: '2' }, mode, sandbox }, async (view, tab) => {
          await becomes(view, 'h1', 'Dracula & Co');
          const style = (property: string) =>
            view.evaluate((name) => {
              const { document, getComputedStyle } = Object(globalThis);
              return getComputedStyle(document.querySelector('h1')).getPropertyValue(name);
            }, property);
          assert.is(await style('color'), 'rgb(1, 2, 3)', 'the style sheet in public/');
          assert.is(await style('--color-text-primary'), 'rgb(9, 8, 7)', 'the variables of the host');
          assert.is(await style('color-scheme'), 'dark');
          assert.is(await view.getAttribute('body', 'class'), 'book', 'the attributes of the layout');
          assert.is(await view.getAttribute('body', 'data-ran'), '1');

          assert.is(await view.textContent('#token'), '', 'a value of browser requests');
          const before = (await starsOf(view)) ?? '';
          await view.fill('input[name=stars]', '4');
          await view.click('#rate');
          await becomes(view, '#stars', `${before} 4`);
          assert.is(await view.getAttribute('body', 'data-ran'), '2', 'scripts run for each page');
          await view.press('input[name=stars]', 'Enter');
          await becomes(view, '#stars', `${before} 4 5`);
          await view.fill('input[name=stars]', '9');
          await view.click('#rate');
          await view.click('#broken');
          await becomes(view, 'pre[role=alert]', 'There is no such book');
          assert.is(await starsOf(view), `${before} 4 5`, 'an invalid form is not sent');

          await view.click('a[href="/about"]');
          await tab.waitForFunction((link) => {
            const events: [string, unknown][] = Object(globalThis).events;
            const has = (kind: string, test: (value: unknown) => boolean) =>
              events.some(([one, value]) => one === kind && test(value));
            return (
              has('link', (url) => url === link) &&
              has('context', (text) => /"count"/.test(String(text))) &&
              has('height', (height) => Number(height) > 50)
            );
          }, `${site.url}/about`);
        });
      });

if (host) {
  const mode = MODES.stateless;

  test('the fields of a form keep their types', async () => {
    await shown({ name: 'form', mode }, async (view) => {
      await view.click('button');
      const expected = {
        text: 'a',
        count: 2,
        yes: true,
        no: false,
        tags: ['x'],
        many: ['1', '3'],
        size: 'l',
        act: 'save',
      };
      await becomes(view, '#result', JSON.stringify(expected));
    });
  });

  test('a tool that changes something is never called again', async () => {
    await shown({ name: 'count', mode }, async (view) => {
      const count = Number(await view.textContent('#count'));
      await view.click('button');
      await becomes(view, 'pre[role=status]', 'noted');
      assert.is(Number(await view.textContent('#count')), count);
    });
    await shown({ name: 'count', mode, drops: true }, async (view) => {
      await view.waitForSelector('pre[role=status]');
      const { count } = JSON.parse((await view.textContent('pre')) ?? '');
      assert.is(count, 2, 'the result is shown as text');
    });
  });

  test('a host that drops _meta shows the page of a tool that changes nothing', async () => {
    await shown({ name: 'bookShow', args: { id: '1' }, mode, drops: true }, (view) =>
      becomes(view, 'h1', 'Emma'),
    );
  });

  test('a route has a page, and scripts call tools', async () => {
    await shown({ name: 'books', mode }, async (view) => {
      await becomes(view, 'ul', 'EmmaDracula & Co');
      await becomes(view, '#called', 'Emma');
    });
  });

  test('the dev page has a form for each tool, and shows its page', async () => {
    await inContext(async (context) => {
      const tab = await context.newPage();
      const errors: string[] = [];
      tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await tab.goto(`${site.url}/_fwk#mcp`);
      const tool = tab.getByRole('group').filter({ has: tab.getByText('bookShow', { exact: true }) });
      await tool.getByText('bookShow', { exact: true }).click();
      const field = tool.getByLabel('Arguments, as JSON');
      assert.is(await field.inputValue(), '{\n  "id": ""\n}');
      await field.fill('{ "id": "2" }');
      await tool.getByRole('button', { name: 'Call' }).click();
      const element = await tool.locator('iframe').elementHandle();
      const view = await element?.contentFrame();
      if (!view) throw new Error('The dev page shows no page of the tool.');
      await becomes(view, 'h1', 'Dracula & Co');
      assert.match((await tool.getByRole('status').textContent()) ?? '', '"title": "Dracula & Co"');
      assert.is(await view.evaluate(() => String(Object(globalThis).origin)), 'null');
      const before = await starsOf(view);
      await view.click('#rate');
      await becomes(view, '#stars', `${before} 5`);
      assert.equal(errors, []);
    });
  });

  test('a page of your own is sent unchanged', async () => {
    await inContext(async (context) => {
      const client = await connected('v2 client, 2026-07-28', { url: site.url });
      const [contents] = (await client.readResource({ uri: 'ui://views/chart.html' })).contents;
      assert.is(contents?.text, pages['views/chart.html']);
      await client.close();
      const tab = await context.newPage();
      await tab.setContent(String(contents?.text));
      assert.is(await tab.textContent('h1'), 'Chart');
    });
  });
}

for (const name of ['v2 client, 2025', 'v2 client, 2026-07-28'])
  test(`${name}: pages hold no data, and have the policy of their tool`, async () => {
    const client = await connected(name, { url: site.url });
    const { tools } = await client.listTools();
    const uriOf = (tool: string) => Object(tools.find((one) => one.name === tool)?._meta).ui?.resourceUri;
    assert.is(uriOf('books'), 'ui://views/books');
    assert.is(uriOf('chart'), 'ui://views/chart.html');
    assert.is(uriOf('bookRate'), undefined);
    const contents = async (uri: string) => (await client.readResource({ uri })).contents[0];
    const book = await contents('ui://views/book');
    assert.is(book?.mimeType, 'text/html;profile=mcp-app');
    assert.match(String(book?.text), `<base href="${site.url}/">`);
    assert.not.match(String(book?.text), 'Emma');
    assert.equal(book?._meta, { ui: { csp: { resourceDomains: [site.url], baseUriDomains: [site.url] } } });
    assert.equal((await contents('ui://views/chart.html'))?._meta, {
      ui: {
        prefersBorder: true,
        csp: {
          connectDomains: ['https://tiles.example'],
          resourceDomains: [site.url],
          baseUriDomains: [site.url],
        },
      },
    });
    await client.close();
  });

test('only a client that may show pages receives them', async () => {
  const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  for (const [extensions, isSent] of [
    [undefined, true],
    [ui, true],
    [{ 'example/other': {} }, false],
  ] as const) {
    const client = await connected(
      'v2 client, 2026-07-28',
      { url: site.url },
      () => {},
      extensions ? { extensions } : {},
    );
    const result = await client.callTool({ name: 'bookShow', arguments: { id: '1' } });
    const { 'fwkit/html': html } = Object(Object(result)._meta);
    assert.is(typeof html === 'string', isSent, JSON.stringify(extensions));
    await client.close();
  }
});

test('production and a client over stdio have pages', async () => {
  const { url, stop } = await production(pages, linkLibraries);
  for (const [target, csp] of [
    [{ url }, { resourceDomains: [url], baseUriDomains: [url] }],
    [{ project: made }, { resourceDomains: [], baseUriDomains: [] }],
  ] as const) {
    const client = await connected('v2 client, 2026-07-28', target);
    assert.equal((await client.readResource({ uri: 'ui://views/books' })).contents[0]?._meta, {
      ui: { csp },
    });
    const result = await client.callTool({ name: 'bookShow', arguments: { id: '1' } });
    assert.match(Object(Object(result)._meta)['fwkit/html'], '<h1>Emma</h1>');
    await client.close();
  }
  await stop();
});

test('a template that fails is logged, and the result is complete', async () => {
  const client = await connected('v2 client, 2025', { url: site.url });
  const { content } = await client.callTool({ name: 'broken' });
  assert.is(content[0]?.text, 'done');
  await site.waitFor(/The page of the tool broken failed/);
  await client.close();
});

test.run();
