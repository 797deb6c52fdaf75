import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { Output } from '../../harness/output.js';

// The manual as a site, without any project.

const test = suite('fwk docs --serve');

const nowhere = mkdtempSync(path.join(tmpdir(), 'fwk-docs-serve-'));
test.after(() => rmSync(nowhere, { recursive: true }));

test('it serves every page and llms.txt, where they are and where people look for them', async () => {
  const child = start(bin('fwk'), ['docs', '--serve', '--port', '0'], nowhere);
  const output = new Output(child);
  const end = ended(child, 'fwk docs --serve', output);
  const [, base = ''] = await output.waitFor(/(http:\/\/localhost:\d+\/_fwk\/manual\/)/);
  for (const [asked, is, says] of [
    ['/', '', '<h1'],
    ['/llms.txt', 'llms.txt', '# fwk'],
    ['/guide/routes', 'guide/routes', '<h1'],
    ['/guide/routes.md', 'guide/routes.md', '# '],
  ] as const) {
    const response = await fetch(new URL(asked, base));
    assert.is(response.url, base + is);
    assert.is(response.status, 200, asked);
    assert.match(await response.text(), says);
  }
  const none = await fetch(new URL('/none', base));
  assert.is(none.status, 404);
  await none.text();
  child.kill('SIGTERM');
  assert.is((await end).status, 0, output.all);
});

test.run();
