import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tryTelling } from './impact-telling.js';

// What an edit reaches, against what is answered otherwise when both versions run. Larger apps: all-impact.

const test = suite('impact against running apps');

for (const [seed, isHiding] of [
  [11, false],
  [12, true],
] as const)
  test(`50 edits of an app ${isHiding ? 'that hides ctx at times' : 'whose routes can be followed'}`, async () => {
    const { outside, throughData, foretold, changed, silent, times } = await tryTelling(
      { routes: 40, isHiding },
      50,
      seed,
    );
    console.log(`foretold ${foretold}, changed ${changed}, silent ${silent}, ${times[25]?.toFixed(1)} ms`);
    assert.equal([...outside, ...throughData], []);
    assert.ok(changed > 50);
    if (!isHiding) assert.ok(foretold <= 1.3 * changed, `${foretold} of ${changed}`);
  });

test.run();
