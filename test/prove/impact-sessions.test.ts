import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { trySessions } from './impact-sessions.js';

// What a visitor is answered after a login and what others wrote, by both versions, against what impact foretells. More: all-sessions.

const test = suite('impact against running apps with sessions');

test('12 edits change nothing for a visitor outside of what was foretold', async () => {
  const { outside, throughData, foretold, changed, silent } = await trySessions(12, 12, 7);
  console.log(`foretold ${foretold}, changed ${changed}, silent ${silent}`);
  assert.equal({ outside, throughData }, { outside: [], throughData: [] });
  assert.ok(changed > 20);
});

test.run();
