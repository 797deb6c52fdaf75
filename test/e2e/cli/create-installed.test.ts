import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { ended } from '../../harness/fwk.js';
import { nodes } from '../../harness/nodes.js';
import { Output } from '../../harness/output.js';
import { begin, created, run, source } from './created.js';

// npm create fwkit as people type it, from a registry, and then what the project's own scripts say.

const test = suite('npm create fwkit');

test('one line, and the page is in the browser', async () => {
  const root = await created('ts');
  const child = begin(root, 'exec node_modules/.bin/fwk dev --port 0');
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  const chromium = hasBrowser ? await browser() : undefined;
  try {
    const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
    assert.is((await fetch(`${url}/`)).status, 200);
    const page = await chromium?.newPage();
    if (!page) return;
    await page.goto(`${url}/`);
    assert.is(await page.textContent('h1'), 'It works');
    assert.is(await page.evaluate('getComputedStyle(document.body).maxWidth'), '640px');
    await page.click('a');
    assert.match((await page.textContent('body')) ?? '', 'Hello, you!');
  } finally {
    await chromium?.close();
    child.kill('SIGTERM');
    await end;
  }
});

for (const layout of ['ts', 'js'] as const)
  test(`${layout}: its tests pass on every Node, and its check does`, async () => {
    const root = await created(layout);
    const all = [...nodes()];
    // What differs between the layouts is not what differs between versions of Node.
    const tried = layout === 'ts' ? all : [all[0] ?? [], all.at(-1) ?? []];
    for (const [name = '', node = ''] of tried) {
      const PATH = `${path.dirname(node)}:${process.env.PATH}`;
      const version = await run(root, 'node --version', { PATH });
      assert.match(version.stdout, `v${name.replace('Node ', '')}.`);
      assert.match((await run(root, 'npm test', { PATH })).stdout, /^(?:# |ℹ )pass 2$/m);
      if (layout === 'ts') await run(root, 'npm run check', { PATH });
    }
  });

test.after(() => source.close());

test.run();
