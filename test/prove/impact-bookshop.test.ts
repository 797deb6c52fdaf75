import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tryBookshop } from './impact-bookshop.js';

// Random edits of the bookshop, with sessions, views, a socket and a tool, against what it answers then. More: all-impact.

const test = suite('impact against the running bookshop');

test('6 edits change nothing outside of what was foretold', async () => {
  const { outside, throughData, foretold, changed, silent, times } = await tryBookshop(6, 3);
  console.log(
    `foretold ${foretold}, changed ${changed}, silent ${silent}, ${times[3]?.toFixed(0)} ms`,
    throughData,
  );
  assert.equal(outside, []);
  assert.ok(changed > 0);
});

test.run();
