import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Findings } from '../../fuzz/findings.js';
import { Run } from '../../fuzz/run.js';
import { site } from '../../fuzz/site.js';
import { Subject } from '../../fuzz/subject.js';
import { installed } from '../../harness/installed.js';

// A short, reproducible run of `npm run fuzz`.

const test = suite('fuzz');

test('keeps serving under hostile traffic and answers well-formed requests', async () => {
  const lines: string[] = [];
  const findings = new Findings(
    mkdtempSync(path.join(installed(), 'fuzz-')),
    (line) => void lines.push(line),
  );
  const made = await site();
  const start = () => Subject.start(made, process.execPath);
  const run = new Run({ seed: 1, connections: 8, isReplay: false, findings, start, tell: () => {} });
  await run.fuzz(8, 2);
  assert.equal(lines, []);
  assert.ok(run.exchanges > 20, `${run.exchanges} exchanges`);
});

test.run();
