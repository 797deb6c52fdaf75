import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tryBookshop } from './impact-bookshop.js';
import { tryTelling } from './impact-telling.js';

// As impact-truth, with 300 routes.

const test = suite('impact against running apps of 300 routes');

for (const isHiding of [false, true])
  test(`40 edits, ${isHiding ? 'ctx hidden at times' : 'all can be followed'}`, async () => {
    const { outside, foretold, changed, silent, times } = await tryTelling({ routes: 300, isHiding }, 40, 5);
    const [median, late] = [times[20] ?? 0, times[38] ?? 0].map((time) => time.toFixed(0));
    console.log(
      `foretold ${foretold}, changed ${changed}, ${silent} silent; ${median} ms, ${late} ms of 95 %`,
    );
    assert.equal(outside, []);
    if (!isHiding) assert.ok(foretold <= 1.3 * changed, `${foretold} of ${changed}`);
  });

test('60 edits of the bookshop, as a stranger, a reader and an admin', async () => {
  const { outside, throughData, foretold, changed, silent } = await tryBookshop(60, 3);
  console.log(`foretold ${foretold}, changed ${changed}, ${silent} silent; through data:`, throughData);
  assert.equal(outside, []);
  assert.ok(foretold <= 1.3 * changed, `${foretold} of ${changed}`);
});

test.run();
