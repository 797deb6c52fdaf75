import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BREAKS } from './breaks.js';
import { seedsFor, tryOut } from './trial.js';

// All breaks, each in several projects.

const test = suite('all breaks');

for (const [name, change] of Object.entries(BREAKS))
  test(name, async () => {
    for (const seed of seedsFor(change)) {
      const { findings = [] } = (await tryOut(seed, change)) ?? {};
      assert.ok(findings.length > 0, `nothing was found in the project of seed ${seed}`);
    }
  });

test.run();
