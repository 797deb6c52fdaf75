import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acrossMachines, OneProcess } from '../../peers/index.js';
import { testMachines } from '../../testkit/test-machines.js';

const { error } = console;
test.after.each(() => {
  console.error = error;
});

test('a receiver that throws or rejects is reported, and the others still receive the message', async () => {
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

test('each lock has its own signal, so its listeners go with it', async () => {
  const { lock } = new OneProcess();
  const first = await lock('a', async ({ signal }) => signal);
  const second = await lock('a', async ({ signal }) => signal);
  assert.is.not(first, second);
});

test.run();
