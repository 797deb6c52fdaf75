import { parseArgs } from 'node:util';
import { fuzzParsers } from './campaign.js';
import { writeCorpus } from './corpus.js';

// npm run fuzz:parsers -- --seconds 60 --seed 1 --keep: see CONTRIBUTING.md.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run fuzz:parsers -- [--seconds 60] [--seed 1] [--keep]');
  process.exit(1);
}

const all = await fuzzParsers(seconds, seed);
let [executions, count] = [0, 0];
for (const { target, corpus, executions: own, findings } of all) {
  executions += own;
  count += findings.size;
  console.log(`${target.name}: ${own} executions, ${corpus.length} inputs`);
  for (const { what, input } of findings.values())
    console.log(
      `  FOUND ${what.slice(0, 500)}\n  by ${JSON.stringify(input.subarray(0, 500).toString('latin1'))}`,
    );
  if (values.keep) writeCorpus(target.name, corpus);
}
console.log(`\n${executions} executions in ${seconds} s with seed ${seed}, ${count} findings`);
process.exit(count > 0 ? 1 : 0);
