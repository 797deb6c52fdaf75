import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LocalMemories, LocalMemory } from '../../peers/index.js';

// The memory of a single process: its limits and its clock. contract.ts has the rules of every memory.

let clock = performance.now();
const { now } = performance;
test.before.each(() => {
  performance.now = () => clock;
});
test.after.each(() => {
  performance.now = now;
});

const keys = (memory: LocalMemory, ...names: string[]) => names.filter((name) => memory.get(name));

test('a full memory evicts the least recently used entry', () => {
  const memory = new LocalMemory({ maxKeys: 2 });
  memory.put('a', { x: '1' }, 60);
  memory.put('b', { x: '2' }, 60);
  memory.get('a');
  memory.put('c', { x: '3' }, 60);
  assert.equal(keys(memory, 'a', 'b', 'c'), ['a', 'c']);
  memory.add('d', 1, 60);
  assert.equal(keys(memory, 'a', 'c', 'd'), ['c', 'd']);
});

test('a memory can be full of bytes, too', () => {
  const memory = new LocalMemory({ maxBytes: 80_000 });
  for (const name of ['a', 'b', 'c', 'd']) memory.put(name, { x: 'x'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'a', 'b', 'c', 'd'), ['b', 'c', 'd']);
  // Overwriting an entry does not count twice.
  for (let time = 0; time < 10; time += 1) memory.put('d', { x: 'y'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'b', 'c', 'd'), ['b', 'c', 'd']);
  memory.take('c');
  memory.put('e', { x: 'x'.repeat(12_000) }, 60);
  assert.equal(keys(memory, 'b', 'd', 'e'), ['b', 'd', 'e']);
  memory.put('large', { x: 'x'.repeat(1_000_000) }, 60);
  assert.equal(keys(memory, 'b', 'd', 'e', 'large'), ['large'], 'one that is larger than all has it alone');
});

test('later writes delete expired entries', () => {
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

test('frequently used entries are evicted last unless they have expired', async () => {
  const memory = new LocalMemory({ maxKeys: 3, often: 3 });
  for (let time = 0; time < 3; time += 1) memory.add('often', 1, 60);
  for (let n = 0; n < 10; n += 1) memory.add(`once ${n}`, 1, 600);
  assert.is(memory.get('often')?.fields.sum, '3');
  assert.is(memory.size, 3);
  clock += 60_000;
  for (let n = 0; n < 2; n += 1) memory.add(`later ${n}`, 1, 600);
  assert.equal(keys(memory, 'often', 'once 8', 'once 9', 'later 0', 'later 1'), [
    'once 9',
    'later 0',
    'later 1',
  ]);
  // If every entry was used, the least recently used one is evicted.
  const warned = once(process, 'warning');
  const all = new LocalMemory({ maxKeys: 2, often: 1 }, undefined, 'session');
  for (const key of ['a', 'b', 'c']) all.put(key, {}, 60);
  assert.equal(keys(all, 'a', 'b', 'c'), ['b', 'c']);
  assert.match(String(await warned), 'The memory "session" is full, so entries that are in use are evicted.');
});

test('a full memory handles each key as fast as an empty one', () => {
  const memory = new LocalMemory();
  const flood = (from: number, to: number) => {
    const begun = now.call(performance);
    for (let n = from; n < to; n += 1) memory.add(`key ${n}`, 1, 60);
    return now.call(performance) - begun;
  };
  const first = flood(0, 100_000);
  const full = flood(100_000, 200_000);
  // A search from the beginning of the map would take about 60 times as long.
  assert.ok(full < 15 * first, `${full} ms, after ${first} ms`);
  assert.is(memory.size, 100_000);
});

test('empty memories are forgotten, together with their names', () => {
  const memories = new LocalMemories();
  for (let n = 0; n < 1_000; n += 1) memories.of(`of visitor ${n}`).put('x', { x: '1' }, 60);
  assert.is(memories.size, 1_000);
  assert.equal(memories.of('of visitor 7').take('x'), { x: '1' });
  assert.is(memories.of('of visitor 7').get('x'), undefined);
  for (const name of ['none', 'of visitor 7']) {
    assert.is(memories.of(name).put('x', {}, 60, 'existing'), false);
    assert.is(memories.of(name).take('x'), undefined);
  }
  assert.is(memories.size, 999);
  clock += 120_000;
  memories.of('another').put('x', {}, 60);
  assert.is(memories.size, 1);
});

test('all memories together are limited: memories above an equal share are reduced', () => {
  const memories = new LocalMemories(1_000_000);
  const text = 'x'.repeat(500);
  memories.of('small').put('x', { text }, 60);
  memories.of('own', { maxBytes: 10_000_000 }).put('x', { text: 'x'.repeat(2_000_000) }, 60);
  for (let n = 0; n < 2_000; n += 1) memories.of(`large ${n % 2}`).put(`${n}`, { text }, 60);
  assert.ok(memories.of('small').get('x'));
  assert.ok(memories.of('own').get('x'), 'one that has a bound of its own does not count');
  const left = Array.from({ length: 2_000 }, (_, n) => n).filter((n) =>
    memories.of(`large ${n % 2}`).get(`${n}`),
  );
  assert.ok(left.length > 500 && left.length < 780, `${left.length} of some 1,300 bytes each`);
  for (const parity of [0, 1]) {
    const own = left.filter((n) => n % 2 === parity);
    assert.is(own[0], 2_000 - 2 * own.length + parity, 'the last ones of each');
    assert.ok(own.length > 200, `${own.length}`);
  }
  // A name for each is bounded, too.
  for (let n = 0; n < 5_000; n += 1) memories.of(`of visitor ${n}`).put('x', {}, 60);
  assert.ok(memories.size < 1_000, `${memories.size}`);
  for (const none of [Number.NaN, 0, -1, Infinity])
    assert.throws(() => memories.of('none', { maxKeys: none }), /maxKeys must be a number greater than 0/);
});

test('setting the system clock ends nothing', () => {
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
