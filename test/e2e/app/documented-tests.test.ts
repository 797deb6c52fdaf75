import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, hiddenFilesOf } from '../../harness/documents.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';

// The tests that the page about testing shows pass, run as it says.

const PAGE = 'docs/guide/testing.md';

const test = suite('the tests of the documents');

test('fwk build && node --test dist/test/*.test.js', async () => {
  const said = /`npx (fwk build) && node (--test) (dist\/test)\/\*\.test\.js`/;
  assert.match(readFileSync(path.join(repo, PAGE), 'utf8'), said);
  const shown = blocksOf(PAGE).flatMap(({ file, text }) =>
    file === undefined ? [] : [[file, text] as const],
  );
  const files = [...shown, ...hiddenFilesOf(PAGE)].map(([file, text]) => [file.replace(/^src\//, ''), text]);
  const made = project({ ...Object.fromEntries(files), 'tsconfig.json': TSCONFIG });
  linkLibraries(made);
  const built = await fwk(made, 'build');
  assert.is(built.status, 0, built.stdout + built.stderr);
  const tests = ['books', 'profile', 'room', 'ticks', 'tools', 'failure'].map(
    (name) => `dist/test/${name}.test.js`,
  );
  const { status, stdout } = await ended(
    start(process.execPath, ['--test', ...tests], made.root),
    'node --test',
  );
  assert.is(status, 0, stdout);
  assert.match(stdout, /^(#|ℹ) pass 6$/m);
});

test.run();
