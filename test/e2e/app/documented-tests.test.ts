import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, hiddenFilesOf } from '../../harness/documents.js';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';

const PAGE = 'docs/guide/testing.md';

const test = suite('tests in the documentation');

test('fwk test', async () => {
  assert.match(readFileSync(path.join(repo, PAGE), 'utf8'), '`npx fwk test` runs it');
  const shown = blocksOf(PAGE).flatMap(({ file, text }) =>
    file === undefined ? [] : [[file, text] as const],
  );
  const files = [...shown, ...hiddenFilesOf(PAGE)].map(([file, text]) => [file.replace(/^src\//, ''), text]);
  const made = project({ ...Object.fromEntries(files), 'tsconfig.json': TSCONFIG });
  linkLibraries(made);
  const { status, stdout, stderr } = await fwk(made, 'test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^(#|ℹ) pass 6$/m);
});

test.run();
