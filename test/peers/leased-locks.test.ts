import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LeasedLocks, type LeaseStore } from '../../peers/index.js';

test('renewing a lease while its lock is released aborts no signal and leaves no timer', async () => {
  let renewed = (_isRenewed: boolean): void => {};
  let requested = (): void => {};
  const asking = new Promise<void>((resolve) => {
    requested = resolve;
  });
  const store: LeaseStore = {
    acquire: async () => 1,
    renew: () =>
      new Promise((resolve) => {
        renewed = resolve;
        requested();
      }),
    release: async () => {},
  };
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await new Promise(setImmediate);
  const before = timers();
  const { lock } = new LeasedLocks(store, () => 600);
  const held = await lock('a', async ({ signal }) => {
    await asking;
    return signal;
  });
  for (const isRenewed of [true, false]) {
    renewed(isRenewed);
    await new Promise(setImmediate);
    assert.is(timers(), before);
    assert.not(held.aborted);
  }
});

test.run();
