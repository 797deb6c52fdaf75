import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../cli/files/write.js';
import { BootError } from '../../kernel/index.js';
import { atExit } from '../harness/cleanup.js';

const root = mkdtempSync(path.join(tmpdir(), 'fwk-write-'));
atExit(() => rmSync(root, { recursive: true, force: true }));
const file = path.join(root, 'file');

const pieces = [
  '<!-- fwk:begin -->',
  '<!-- fwk:end -->',
  '\n',
  '\r\n',
  '\uFEFF',
  '# Title',
  '.fwk/',
  '{"a":1}',
  'ä',
  ' ',
];
const theirs = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((texts) => texts.join(''));
const MARKER = /^[^\S\n]*<!-- fwk:(?:begin|end) -->[^\S\n]*$/m;
const BLOCK = /^[^\S\n]*<!-- fwk:begin -->[^\S\n]*$[\s\S]*?^[^\S\n]*<!-- fwk:end -->[^\S\n]*$/gm;
const outside = (all: string) => all.replace(BLOCK, '').replace(/\s/g, '');
const WAYS = [
  ['keep', 'ours'],
  ['lines', '.fwk/\ndist/\n'],
  ['block', 'ours'],
  ['members', '{"type":"module","scripts":{"dev":"fwk dev"}}'],
] as const;

for (const [ifExists, contents] of WAYS)
  test(`${ifExists}: the existing content is preserved`, () => {
    fc.assert(
      fc.property(theirs, (before) => {
        writeFileSync(file, before);
        const put = () => write(root, [{ path: 'file', contents, ifExists }])[0]?.outcome;
        try {
          put();
        } catch (thrown) {
          assert.instance(thrown, BootError);
          assert.is(readFileSync(file, 'utf8'), before, 'refused, and changed');
          return;
        }
        const after = readFileSync(file, 'utf8');
        if (ifExists === 'keep') assert.is(after, before);
        if (ifExists === 'lines') assert.ok(after.startsWith(before));
        if (ifExists === 'block') {
          // Markers within a line are ordinary text.
          if (!MARKER.test(before)) assert.ok(after.startsWith(before));
          assert.is(outside(after), outside(before));
        }
        if (ifExists === 'members' && before.includes('"a"'))
          assert.is(JSON.parse(after.replace(/^\uFEFF/, '')).a, 1);
        assert.is(put(), ifExists === 'keep' ? 'skipped' : 'unchanged');
        assert.is(readFileSync(file, 'utf8'), after);
      }),
      { numRuns: 200 },
    );
  });

test('a file that ends with half a line break gets the block once more', () => {
  writeFileSync(file, 'a\r');
  const put = () => write(root, [{ path: 'file', contents: 'ours', ifExists: 'block' }])[0]?.outcome;
  put();
  assert.is(put(), 'unchanged');
});

test('appending to a long file takes linear time', () => {
  const long = 100_000;
  const texts = { block: '\r'.repeat(long), members: `{"a":"${' '.repeat(long)}b"}\n` };
  for (const [ifExists, before] of Object.entries(texts) as [keyof typeof texts, string][]) {
    writeFileSync(file, before);
    const begun = performance.now();
    write(root, [{ path: 'file', contents: '{}', ifExists }]);
    const took = performance.now() - begun;
    assert.ok(took < 1_000, `${ifExists} took ${took.toFixed(0)} ms`);
  }
});

test.run();
