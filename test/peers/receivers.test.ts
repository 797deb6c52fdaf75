import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acrossMachines, OneProcess } from '../../peers/index.js';
import { testMachines } from '../../testkit/test-machines.js';

// What is sent comes from other processes: whatever receives it, these go on.

const { error } = console;
test.after.each(() => {
  console.error = error;
});

test('a receiver that throws or rejects keeps no other from hearing, and is reported', async () => {
  const machine = testMachines();
  const [a, b] = [acrossMachines(new OneProcess(), machine()), acrossMachines(new OneProcess(), machine())];
  const reported: string[] = [];
  console.error = (line: string) => void reported.push(line);
  b.on('news', () => {
    throw new Error('thrown');
  });
  b.on('news', async () => {
    throw new Error('rejected');
  });
  const heard = new Promise((resolve) => b.on('news', (head) => resolve(head)));
  a.send('news', 'all');
  assert.is(await heard, 'all');
  await new Promise(setImmediate);
  assert.equal(reported, [
    'A receiver of "news" messages failed: thrown',
    'A receiver of "news" messages failed: rejected',
  ]);
});

test('the signal of a lock is its own: what listens for it goes with it', async () => {
  const { lock } = new OneProcess();
  const first = await lock('a', async ({ signal }) => signal);
  const second = await lock('a', async ({ signal }) => signal);
  assert.is.not(first, second);
});

test.run();
