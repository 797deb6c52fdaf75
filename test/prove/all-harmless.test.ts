import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HARMLESS } from './harmless.js';
import { seedsFor, tryOut } from './trial.js';

// All harmless changes, each in several projects.

const test = suite('all harmless changes');

for (const [name, change] of Object.entries(HARMLESS))
  test(name, async () => {
    for (const seed of seedsFor(change))
      assert.equal((await tryOut(seed, change))?.findings, [], `in the project of seed ${seed}`);
  });

test.run();
