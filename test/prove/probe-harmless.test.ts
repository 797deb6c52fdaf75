import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HARMLESS } from './harmless.js';
import { seedFor, tryOut } from './trial.js';

// Nothing is found where nothing is wrong, in projects that are made from a seed. test/prove/all-harmless.test.ts tries more of them.

const test = suite('harmless changes');

for (const [name, change] of Object.entries(HARMLESS))
  test(name, async () => {
    const seed = seedFor(change, 2);
    const { findings = [], proven = [] } = (await tryOut(seed, change)) ?? {};
    assert.equal(findings, [], `in the project of seed ${seed}`);
    assert.ok(proven.some(({ by }) => by.startsWith('probe ')));
  });

test.run();
