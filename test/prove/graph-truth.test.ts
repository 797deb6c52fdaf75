import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compare } from './reached-by-running.js';

// What routes reach, against what they do: the functions of generated apps answer with their own names. Larger ones: all-truth.

const test = suite('the graph against running apps');

for (const [seed, isHiding] of [
  [1, false],
  [2, true],
] as const)
  test(`misses nothing of an app whose routes ${isHiding ? 'hide ctx at times' : 'can be followed'}`, async () => {
    const { missed, used, named, hiding, routes } = await compare({ routes: 60, isHiding }, seed);
    assert.equal(missed, []);
    assert.is(routes, 60);
    assert.is(hiding > 0, isHiding);
    assert.ok(named / used <= 1.1, `${named} of ${used}`);
  });

test.run();
