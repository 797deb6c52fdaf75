import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LocalMemory } from '../../plugins/peers/index.js';

// What is of one process alone: its bounds and its clock. What holds for every memory is in contract.ts.

let clock = performance.now();
const { now } = performance;
test.before.each(() => {
  performance.now = () => clock;
});
test.after.each(() => {
  performance.now = now;
});

const keys = (memory: LocalMemory, ...names: string[]) => names.filter((name) => memory.get(name));

test('a full memory forgets what was used longest ago', () => {
  const memory = new LocalMemory({ keys: 2 });
  memory.put('a', { x: '1' }, 60);
  memory.put('b', { x: '2' }, 60);
  memory.get('a');
  memory.put('c', { x: '3' }, 60);
  assert.equal(keys(memory, 'a', 'b', 'c'), ['a', 'c']);
  memory.add('d', 1, 60);
  assert.equal(keys(memory, 'a', 'c', 'd'), ['c', 'd']);
});

test('it is full of bytes, too', () => {
  const memory = new LocalMemory({ bytes: 80_000 });
  for (const name of ['a', 'b', 'c', 'd']) memory.put(name, { x: 'x'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'a', 'b', 'c', 'd'), ['b', 'c', 'd']);
  // What takes the place of another counts once.
  for (let time = 0; time < 10; time += 1) memory.put('d', { x: 'y'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'b', 'c', 'd'), ['b', 'c', 'd']);
  memory.take('c');
  memory.put('e', { x: 'x'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'b', 'd', 'e'), ['b', 'd', 'e']);
  memory.put('large', { x: 'x'.repeat(1_000_000) }, 60);
  assert.equal(keys(memory, 'b', 'd', 'e', 'large'), ['large'], 'one that is larger than all has it alone');
});

test('what is over is swept out by later writes', () => {
  const memory = new LocalMemory();
  for (const id of ['a', 'b', 'c']) memory.put(id, {}, 60);
  memory.put('d', {}, 3600);
  clock += 60_000;
  assert.is(memory.get('a'), undefined);
  assert.is(memory.size, 3);
  clock += 60_000;
  memory.put('e', {}, 60);
  assert.is(memory.size, 2);
  assert.ok(memory.get('d'));
});

test('nothing ends because the clock of the machine is set', () => {
  const memory = new LocalMemory();
  memory.put('a', { x: '1' }, 60);
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  try {
    assert.equal(memory.get('a')?.fields, { x: '1' });
  } finally {
    Date.now = now;
  }
});

test.run();
