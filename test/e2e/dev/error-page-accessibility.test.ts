import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { violationsOf } from '../../harness/accessibility.js';
import { contexts, hasBrowser } from '../../harness/browser.js';
import { dev } from '../../harness/fwk.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { module, route } from '../../harness/source.js';

// Pages of errors, as axe-core judges them, in light and dark, and on a phone.

const long = 'x'.repeat(300);
const files = (source: string): Files => ({
  [`${source}web/fails.ts`]: route(
    'get',
    `() => { throw new Error('first ${long}', { cause: new TypeError('second ${long}') }); }`,
  ),
  [`${source}web/coffee.ts`]: route(
    'get',
    `() => { throw Object.assign(new Error('short'), { status: 418 }); }`,
  ),
  [`${source}web/fine.ts`]: route('get', `() => 'fine'`),
  [`${source}web/checked.ts`]: module(
    'get',
    `const query = { '~standard': { version: 1, vendor: 'own', validate: () => ({ issues: [{ message: 'no', path: ['n'] }] }) } };
export default get({ query }, () => 1);`,
  ),
});

const test = suite('pages of errors');
const inContext = contexts(test);

const judged = (act: (page: Page) => Promise<void>): Promise<void> =>
  inContext(async (context) => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 360, height: 640 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await act(page);
    }
  });

async function assertFine(page: Page, url: string, shown: string): Promise<void> {
  await page.goto(url);
  assert.match((await page.locator('h1').textContent()) ?? '', shown, url);
  assert.equal(await violationsOf(page), [], url);
  assert.not.ok(
    await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
    `${url} is too wide`,
  );
}

test('in development', async () => {
  const made = project(files(''));
  const server = await dev(made);
  try {
    await judged(async (page) => {
      await assertFine(page, `${server.url}/fails`, 'first xxx');
      await assertFine(page, `${server.url}/fin`, 'There is nothing at this address');
      await assertFine(page, `${server.url}/checked`, '422');
    });
    const from = server.output.all.length;
    made.write('web/fine.ts', 'export default 5;\n');
    await server.waitFor(/still serving the last good version/, from);
    await judged(async (page) => {
      await assertFine(page, `${server.url}/fails`, 'first xxx');
      await page.getByText('The last edit is not served').waitFor();
    });
  } finally {
    await server.stop();
  }
});

test('of a project that cannot be served', async () => {
  const server = await dev(project({ 'web/a.ts': 'export default 5;\n' }));
  try {
    await judged((page) => assertFine(page, `${server.url}/a`, 'The project has mistakes'));
  } finally {
    await server.stop();
  }
});

unsampled(test)('in production', async () => {
  const server = await production(files(''));
  try {
    await judged(async (page) => {
      await assertFine(page, `${server.url}/fails`, '500 Internal Server Error');
      await assertFine(page, `${server.url}/none`, '404 Not Found');
      await assertFine(page, `${server.url}/checked`, '422');
    });
  } finally {
    await server.stop();
  }
});

if (hasBrowser) test.run();
