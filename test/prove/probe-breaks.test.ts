import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BREAKS } from './breaks.js';
import { seedFor, tryOut } from './trial.js';

// Every second way to lose a guard is found, in one project that is made from a seed. test/prove/all-breaks.test.ts tries all, in more of them.

const test = suite('breaks');

for (const [name, change] of Object.entries(BREAKS).filter((_, index) => index % 2 === 0))
  test(name, async () => {
    const seed = seedFor(change, 1);
    const { findings = [] } = (await tryOut(seed, change)) ?? {};
    assert.ok(findings.length > 0, `nothing was found in the project of seed ${seed}`);
  });

test.run();
