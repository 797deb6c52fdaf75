import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { hasBrowser, browser as launch } from '../harness/browser.js';
import { dev } from '../harness/fwk.js';
import { copyOf } from './example.js';

const test = suite('file drop in a browser');

async function opened(
  use: (open: (options?: object) => Promise<Page>, folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'file-drop-'));
  const drop = copyOf('file-drop', [], { '.env.local': `DROP_FOLDER=${folder}\nDROP_MAX_FILE=5M\n` });
  const server = await dev(drop);
  const browser = await launch();
  try {
    await use(async (options = {}) => {
      const context = await browser.newContext({ baseURL: server.url, acceptDownloads: true, ...options });
      const page = await context.newPage();
      await page.goto('/');
      return page;
    }, folder);
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const fileOf = (name: string, size: number) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(size, 'some bytes '),
});

const cases: Record<string, () => Promise<void>> = {
  'files are chosen, uploaded, listed, downloaded and removed': () =>
    opened(async (open, folder) => {
      const page = await open();
      assert.equal(await violationsOf(page), []);
      await page
        .getByLabel('Drop files here')
        .setInputFiles([
          fileOf('one.txt', 3_000_000),
          fileOf('two <b>.txt', 20),
          fileOf('large.bin', 6_000_000),
        ]);
      await page.getByText('two _b_.txt is sent.').or(page.getByText('large.bin was not sent')).waitFor();
      await page.getByText('a file here has at most 5.0 MB.').first().waitFor();
      assert.is(readdirSync(folder).length, 4);
      assert.equal(await violationsOf(page), []);

      await page.reload();
      const link = page.getByRole('link', { name: 'one.txt' });
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      assert.is(download.suggestedFilename(), 'one.txt');

      // By keyboard alone.
      await page.getByRole('button', { name: 'Remove one.txt' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('one.txt is removed.').waitFor();
      assert.is(readdirSync(folder).length, 2);
    }),

  'a dropped file is uploaded, and an upload is canceled': () =>
    opened(async (open, folder) => {
      const page = await open();
      const transfer = await page.evaluateHandle(`(() => {
        const made = new DataTransfer();
        made.items.add(new File(['dropped'], 'dropped.txt'));
        return made;
      })()`);
      await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
      await page.getByText('dropped.txt is sent.').waitFor();
      assert.is(readdirSync(folder).length, 2);

      // So slow that there is time to think.
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      const uploadThroughput = 50_000;
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
      await page.getByLabel('Drop files here').setInputFiles(fileOf('slow.bin', 4_000_000));
      await page.getByRole('progressbar', { name: 'How much of slow.bin is sent' }).waitFor();
      await page.getByRole('button', { name: 'Cancel slow.bin' }).click();
      await page.getByText('You cancelled it.').first().waitFor();
    }),

  'the form works without scripts': () =>
    opened(async (open) => {
      const page = await open({ javaScriptEnabled: false });
      await page
        .getByLabel('Drop files here')
        .setInputFiles([fileOf('plain.txt', 10), fileOf('more.txt', 10)]);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: 'plain.txt' }).waitFor();
      await page.getByRole('link', { name: 'more.txt' }).waitFor();
    }),

  'the page supports dark mode and fits 360 px': () =>
    opened(async (open) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open({ colorScheme, viewport: { width: 360, height: 740 } });
        await page.getByLabel('Drop files here').setInputFiles([fileOf(`${'long'.repeat(30)}.txt`, 100)]);
        await page.getByText('is sent.').waitFor();
        assert.equal(await violationsOf(page), [], colorScheme);
        assert.not(await isTooWide(page), colorScheme);
        const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        assert.is(ground, colorScheme === 'dark' ? 'rgb(17, 22, 29)' : 'rgb(246, 248, 251)');
      }
    }),
};

for (const [sentence, run] of Object.entries(cases)) {
  if (hasBrowser) test(sentence, run);
  else test.skip(sentence, run);
}

test.run();
