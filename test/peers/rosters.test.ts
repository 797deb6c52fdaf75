import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acrossMachines, OneProcess, type Peers, type PeersEngine } from '../../peers/index.js';
import { testMachines } from '../../testkit/test-machines.js';

const test = suite('rosters');

const joined = (engine: PeersEngine) => acrossMachines(new OneProcess(), engine);

/** Resolves when `peers` sees the sum. */
async function seen(peers: Peers, key: string, sum: number): Promise<void> {
  const until = performance.now() + 8_000;
  while ((await peers.roster('r').sum(key)) !== sum) {
    if (performance.now() > until)
      throw new Error(`${key} is ${await peers.roster('r').sum(key)}, not ${sum}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('one process: shares are replaced as a whole', () => {
  const roster = new OneProcess().roster('r');
  roster.set(new Map([['k', 1]]));
  assert.is(roster.sum('k'), 1);
  roster.set(new Map());
  assert.is(roster.sum('k'), 0);
});

test('machines: shares are summed, replaced, and end with their process', async () => {
  const machine = testMachines();
  const third = machine();
  const [a, b, c] = [joined(machine()), joined(machine()), joined(third)];
  const many = Array.from({ length: 2_500 }, (_, n) => [`room ${n}`, 2] as const);
  a.roster('r').set(new Map([...many, ['tea', 2], ['__proto__', 1]]));
  b.roster('r').set(new Map([['tea', 3]]));
  await seen(c, 'tea', 5);
  await seen(b, 'room 2499', 2);
  await seen(b, '__proto__', 1);
  assert.is(await c.roster('other').sum('tea'), 0);
  a.roster('r').set(new Map([['coffee', 1]]));
  await seen(b, 'tea', 3);
  await seen(b, 'room 2499', 0);
  await a.leave();
  await seen(b, 'coffee', 0);
  third.cut();
  const thrown = await Promise.resolve(c.roster('r').sum('tea')).catch((cause) => cause);
  assert.is(thrown.name, 'Unavailable');
  await Promise.all([b, c].map((peers) => peers.leave()));
});

test('shares that could not be written, or that the memory lost, are written again', async () => {
  const machine = testMachines();
  const engine = machine();
  const [a, b] = [joined(engine), joined(machine())];
  engine.cut();
  a.roster('r').set(new Map([['tea', 2]]));
  await new Promise(setImmediate);
  engine.mend();
  await seen(b, 'tea', 2);
  await b.memory('peers.alive').take(a.id);
  for (let record = 0; record < 256; record += 1) await b.memory('roster.r').take(`${a.id} ${record}`);
  await seen(b, 'tea', 0);
  await seen(b, 'tea', 2);
  await Promise.all([a, b].map((peers) => peers.leave()));
});

test.run();
