import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Memory } from '../../app/memory.js';

let clock = performance.now();
const { now } = performance;
test.before.each(() => {
  performance.now = () => clock;
});
test.after.each(() => {
  performance.now = now;
});

test('a full store forgets what was used longest ago', () => {
  const store = new Memory(2);
  store.set('a', '1', 60);
  store.set('b', '2', 60);
  store.get('a');
  store.set('c', '3', 60);
  assert.equal(
    ['a', 'b', 'c'].map((id) => store.get(id)),
    ['1', undefined, '3'],
  );
  store.set('c', '4', 60);
  assert.equal(
    ['a', 'c'].map((id) => store.get(id)),
    ['1', '4'],
  );
});

test('what is over is not given, and swept out by later writes', () => {
  const store = new Memory();
  for (const id of ['a', 'b', 'c']) store.set(id, id, 60);
  store.set('d', 'd', 3600);
  clock += 59_999;
  assert.is(store.get('a'), 'a');
  clock += 1;
  assert.is(store.get('a'), undefined);
  assert.is(store.size, 3);
  clock += 60_000;
  store.set('e', 'e', 60);
  assert.is(store.size, 2);
  assert.is(store.get('d'), 'd');
});

test('nothing ends because the clock of the machine is set', () => {
  const store = new Memory();
  store.set('a', '1', 60);
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  try {
    assert.is(store.get('a'), '1');
  } finally {
    Date.now = now;
  }
});

test('what is deleted is gone', () => {
  const store = new Memory();
  store.set('a', '1', 60);
  store.delete('a');
  store.delete('b');
  assert.equal([store.get('a'), store.size], [undefined, 0]);
});

test.run();
