import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BREAKS, type Change } from './breaks.js';
import { HARMLESS } from './harmless.js';
import { seedFor, tryOut } from './trial.js';

// All breaks and all harmless changes, each in several projects.

const ROUNDS = 3;
const test = suite('breaks and harmless changes');

/** Seeds of projects that differ. */
const seedsFor = (change: Change): readonly number[] =>
  Array.from({ length: ROUNDS }, (_, round) => seedFor(change, 10 + 31 * round));

for (const [name, change] of Object.entries(BREAKS))
  test(`found: ${name}`, async () => {
    for (const seed of seedsFor(change)) {
      const { findings = [] } = (await tryOut(seed, change)) ?? {};
      assert.ok(findings.length > 0, `nothing was found in the project of seed ${seed}`);
    }
  });

for (const [name, change] of Object.entries(HARMLESS))
  test(`not found: ${name}`, async () => {
    for (const seed of seedsFor(change))
      assert.equal((await tryOut(seed, change))?.findings, [], `in the project of seed ${seed}`);
  });

test.run();
