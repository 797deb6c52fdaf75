import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OneProcess } from '../../../peers/index.js';
import { LocalCounters, take } from '../../../plugins/rate-limit/counters.js';
import { SharedCounters } from '../../../plugins/rate-limit/shared-counters.js';

const test = suite('counters');

/** Gaps between requests, in milliseconds. */
const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(3_000)), { maxLength: 200 });
const quotas = fc.record({ limit: fc.integer({ min: 1, max: 20 }), windowMs: fc.constantFrom(1_000, 700) });

test('no window allows more than its limit, and a client that waits for Retry-After is always admitted', () => {
  fc.assert(
    fc.property(quotas, gaps, fc.nat(1e9), (quota, waits, start) => {
      const counted = { window: 0, previous: 0, current: 0 };
      const allowed = new Map<number, number>();
      let now = start;
      for (const wait of waits) {
        now += wait;
        const { isAllowed, remaining, waitMs } = take(counted, quota, now);
        const window = Math.floor(now / quota.windowMs);
        if (isAllowed) allowed.set(window, (allowed.get(window) ?? 0) + 1);
        assert.ok((allowed.get(window) ?? 0) <= quota.limit);
        assert.ok(remaining >= 0 && waitMs >= 0 && waitMs <= quota.windowMs);
        if (!isAllowed) assert.ok(take({ ...counted }, quota, now + waitMs + 1).isAllowed);
        else if (remaining > 0) assert.ok(take({ ...counted }, quota, now).isAllowed);
      }
    }),
    { numRuns: 300 },
  );
});

test('requests of the previous window count in proportion to the remaining part', () => {
  const quota = { limit: 10, windowMs: 1_000 };
  const counted = { window: 5, previous: 10, current: 0 };
  const allowedAt = (now: number): number => {
    const copy = { ...counted };
    let count = 0;
    while (take(copy, quota, now).isAllowed) count += 1;
    return count;
  };
  assert.equal([5_000, 5_250, 5_500, 5_890, 6_000, 7_000].map(allowedAt), [0, 3, 5, 9, 10, 10]);
});

test('many other keys do not evict a key that is close to its limit', () => {
  const quota = { scope: 'one', limit: 4, windowMs: 60_000 };
  const counters = new LocalCounters(1_000);
  for (let sent = 0; sent < 4; sent += 1) assert.ok(counters.take('guessing', quota, 0).isAllowed);
  counters.take('once', quota, 0);
  for (let other = 0; other < 5_000; other += 1) counters.take(`other ${other}`, quota, 1);
  assert.not(counters.take('guessing', quota, 2).isAllowed);
  assert.is(counters.take('once', quota, 2).remaining, 3, 'that one was forgotten');
  // Expired windows are evicted first.
  for (let other = 0; other < 5_000; other += 1) counters.take(`later ${other}`, quota, 200_000);
  assert.ok(counters.take('guessing', quota, 200_000).isAllowed);
});

test('shared counters keep at most maxKeys for each limit, too', async () => {
  const quota = { scope: 'one', limit: 4, windowMs: 60_000 };
  const peers = new OneProcess();
  const counters = new SharedCounters(peers, new LocalCounters(1_000), 1_000);
  for (let sent = 0; sent < 4; sent += 1) assert.ok((await counters.take('guessing', quota, 0)).isAllowed);
  await counters.take('once', quota, 0);
  for (let other = 0; other < 5_000; other += 1) await counters.take(`other ${other}`, quota, 1);
  // The view of another process, which has counted nothing itself.
  const elsewhere = new SharedCounters(peers, new LocalCounters(1_000), 1_000);
  assert.not((await elsewhere.take('guessing', quota, 2)).isAllowed);
  assert.is((await counters.take('once', quota, 2)).remaining, 3, 'that one was forgotten');
  assert.is((await counters.take('other 4999', quota, 2)).remaining, 2, 'that one was not');
});

test('a flood against one limit evicts no counter of another', () => {
  const logins = { scope: 'logins', limit: 4, windowMs: 60_000 };
  const single = { scope: 'single', limit: 1, windowMs: 60_000 };
  const counters = new LocalCounters(1_000);
  for (let sent = 0; sent < 4; sent += 1) assert.ok(counters.take('guessing', logins, 0).isAllowed);
  counters.take('once', logins, 0);
  // Each of them is about to refuse, too.
  for (let other = 0; other < 5_000; other += 1) counters.take(`other ${other}`, single, 1);
  assert.not(counters.take('guessing', logins, 2).isAllowed);
  assert.is(counters.take('once', logins, 2).remaining, 2);
  assert.not(counters.take('other 4999', single, 2).isAllowed);
  assert.ok(counters.take('other 0', single, 2).isAllowed, 'that one made room');
  // A limit that has taken all memory gives back up to half of it.
  for (let other = 0; other < 5_000; other += 1) counters.take(`guest ${other}`, logins, 3);
  const kept = (key: string) => !counters.take(key, single, 4).isAllowed;
  const last = Array.from({ length: 500 }, (_, index) => `other ${4_500 + index}`);
  assert.ok(last.filter(kept).length >= 499);
});

test.run();
