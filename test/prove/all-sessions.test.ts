import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { trySessions } from './impact-sessions.js';

// As impact-sessions, with more routes and edits.

const test = suite('impact against running apps with sessions, at length');

test('102 edits of three apps', async () => {
  const sum = { foretold: 0, changed: 0, silent: 0 };
  for (const seed of [1, 2, 3]) {
    const { outside, throughData, foretold, changed, silent } = await trySessions(36, 34, seed);
    console.log(`foretold ${foretold}, changed ${changed}, ${silent} silent`);
    assert.equal({ outside, throughData }, { outside: [], throughData: [] });
    sum.foretold += foretold;
    sum.changed += changed;
    sum.silent += silent;
  }
  assert.ok(sum.foretold <= 1.3 * sum.changed, `${sum.foretold} of ${sum.changed}`);
  assert.ok(sum.silent < 60);
});

test.run();
