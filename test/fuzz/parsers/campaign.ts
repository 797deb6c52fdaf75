import { bodyTargets } from './body-targets.js';
import { readCorpus, wordsOf } from './corpus.js';
import { Coverage } from './coverage.js';
import { Fuzzed } from './engine.js';
import { headTargets } from './head-targets.js';
import { textTargets } from './text-targets.js';

export const targets = [...headTargets, ...bodyTargets, ...textTargets];

/** How long one parser is fuzzed before the next has its turn. */
const TURN_MS = 500;

/** Fuzzes all parsers in turns for so many seconds, beginning with the corpus of each. */
export async function fuzzParsers(seconds: number, seed: number): Promise<readonly Fuzzed[]> {
  const coverage = new Coverage();
  const all = targets.map(
    (target) => new Fuzzed(target, readCorpus(target.name), wordsOf(target.name), coverage, seed),
  );
  const end = performance.now() + seconds * 1_000;
  for (const fuzzed of all) await fuzzed.warmUp();
  const turn = Math.min(TURN_MS, (seconds * 1_000) / all.length);
  while (performance.now() < end) for (const fuzzed of all) await fuzzed.run(turn);
  coverage.close();
  return all;
}
