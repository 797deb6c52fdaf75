import path from 'node:path';
import { parseArgs } from 'node:util';
import { repo } from '../harness/installed.js';
import { node } from '../harness/nodes.js';
import { Findings } from './findings.js';
import { keptBytes } from './growth.js';
import { Run } from './run.js';
import { site } from './site.js';
import { Subject } from './subject.js';

// npm run fuzz: see CONTRIBUTING.md.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    node: { type: 'string' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string', default: '' },
  },
});
const replay = values.replay.split(',').filter(Boolean).map(Number);
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
const major = values.node === undefined ? undefined : Number(values.node);
if (![seconds, seed, major ?? 0, ...replay].every(Number.isSafeInteger)) {
  console.error('Usage: npm run fuzz -- [--seconds 600] [--node 24] [--seed 1] [--replay 17,42]');
  process.exit(1);
}
const program = major === undefined ? process.execPath : node(major);
const folder = path.join(repo, `dist/fuzz/node-${major ?? process.versions.node}-seed-${seed}`);
const tell = (line: string): void => console.log(line);

const made = await site();
const findings = new Findings(folder, tell);
const run = new Run({
  seed,
  isReplay: replay.length > 0,
  connections: 24,
  findings,
  tell,
  start: () => Subject.start(made, program),
});
const begun = performance.now();
if (replay.length > 0) await run.replay(replay);
else await run.fuzz(seconds, Math.min(30, Math.max(4, Math.floor(seconds / 10))));

const took = (performance.now() - begun) / 1000;
for (const { kind, detail, count, exchanges } of findings.all.values())
  console.log(
    `\n${count} × ${kind}: ${detail}\n  again: npm run fuzz -- --seed ${seed}${major ? ` --node ${major}` : ''} --replay ${exchanges.join()}`,
  );
if (findings.count > 0) console.log(`\nThe bytes are in ${folder}`);
const [first, last] = [run.samples.at(0), run.samples.at(-1)];
const kept = (sample: typeof first): string =>
  sample ? `${(keptBytes(sample.state) / 1e6).toFixed(1)} MB` : 'unknown';
console.log(
  `\n${run.exchanges} exchanges in ${took.toFixed(0)} s, ${findings.count} findings, memory ${kept(first)} before and ${kept(last)} after`,
);
process.exit(findings.count > 0 ? 1 : 0);
