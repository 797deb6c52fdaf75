import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Restarts } from '../../app/workers/primary.js';

const young = () => ({ readyAt: performance.now() });
const old = () => ({ readyAt: performance.now() - 60_000 });

test('replaces the first crashed process immediately and later ones with increasing delays', () => {
  const restarts = new Restarts();
  const delays = Array.from({ length: 12 }, () => restarts.delayAfter(young(), true));
  assert.equal(delays, [0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000, 10_000]);
  assert.is(restarts.delayAfter(old(), true), 0);
  assert.is(restarts.delayAfter(young(), true), 0);
});

test('gives up on processes that crash before they serve', () => {
  const restarts = new Restarts();
  const delays = Array.from({ length: 5 }, () => restarts.delayAfter({ readyAt: undefined }, false));
  assert.equal(delays, [100, 200, 400, 800, undefined]);
});

test.run();
