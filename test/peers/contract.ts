import * as assert from 'uvu/assert';
import { isLockTaken, type Lock, type SharedMemory } from '../../peers/index.js';

// The contract of memory and locks for all peers: one process, workers, test machines and every engine.

/** One of several that have a memory and locks in common. */
export interface Participant {
  readonly memory: (name: string) => SharedMemory;
  readonly lock: Lock;
}

type Participants = readonly [Participant, Participant];

/** A name that no other run has used. */
let names = 0;
const fresh = (): string => {
  names += 1;
  return `contract ${process.pid} ${Date.now()} ${names}`;
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Each is a separate test. Two participants may be the same. */
export const contract: Readonly<Record<string, (participants: Participants) => Promise<void>>> = {
  async 'both processes read the same memory by its name'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    assert.is(await a.memory(name).get(key), undefined);
    assert.is(await a.memory(name).put(key, { one: '1', two: '2' }, 60), true);
    const kept = await b.memory(name).get(key);
    assert.equal(kept?.fields, { one: '1', two: '2' });
    assert.ok(Number(kept?.left) > 55 && Number(kept?.left) <= 60, String(kept?.left));
    assert.is(await b.memory(fresh()).get(key), undefined);
  },

  async 'put adds fields to existing ones'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    await a.memory(name).put(key, { one: '1', two: '2' }, 60);
    await b.memory(name).put(key, { two: 'zwei', three: '3' }, 60);
    assert.equal((await a.memory(name).get(key))?.fields, { one: '1', two: 'zwei', three: '3' });
  },

  async 'any text can be a name, a key, a field or a value'([a, b]) {
    const texts = [
      '',
      ' ',
      '__proto__',
      'constructor',
      'a:b',
      '{x}',
      'ä€😀',
      '\u0000',
      'line\nline',
      '"',
      '1e3',
      '-0',
    ];
    const memory = fresh();
    for (const key of texts) {
      const fields = Object.fromEntries(
        texts.flatMap((name) => [
          [name, `${name}${key}`],
          [`f${name}`, `${name}${key}`],
        ]),
      );
      await a.memory(memory).put(key, fields, 60);
      assert.equal((await b.memory(memory).get(key))?.fields, fields, JSON.stringify(key));
    }
    for (const key of texts) assert.ok(await b.memory(memory).take(key), JSON.stringify(key));
  },

  async 'only new entries, only existing entries'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    assert.is(await a.memory(name).put(key, { x: '1' }, 60, 'existing'), false);
    assert.is(await b.memory(name).get(key), undefined);
    assert.is(await a.memory(name).put(key, { x: '1' }, 60, 'new'), true);
    assert.is(await b.memory(name).put(key, { x: '2' }, 60, 'new'), false);
    assert.equal((await b.memory(name).get(key))?.fields, { x: '1' });
    assert.is(await b.memory(name).put(key, { y: '2' }, 60, 'existing'), true);
    assert.equal((await a.memory(name).get(key))?.fields, { x: '1', y: '2' });
  },

  async 'an entry without fields exists, and can be extended'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    assert.is(await a.memory(name).put(key, {}, 5, 'new'), true);
    assert.equal((await b.memory(name).get(key))?.fields, {});
    assert.is(await b.memory(name).put(key, {}, 60, 'existing'), true);
    assert.ok(Number((await a.memory(name).get(key))?.left) > 50);
  },

  async 'take returns an entry once and deletes it'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    assert.is(await a.memory(name).take(key), undefined);
    await a.memory(name).put(key, { x: '1' }, 60);
    const takers = Array.from({ length: 10 }, (_, index) => (index % 2 ? a : b).memory(name).take(key));
    const taken = (await Promise.all(takers)).filter((fields) => fields !== undefined);
    assert.equal(taken, [{ x: '1' }]);
    assert.is(await a.memory(name).get(key), undefined);
    assert.is(await a.memory(name).put(key, { x: '2' }, 60, 'existing'), false);
  },

  async 'concurrent writes of different fields are all kept'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    await a.memory(name).put(key, {}, 60);
    const all = Array.from({ length: 40 }, (_, index) => `f${index}`);
    await Promise.all(
      all.map((field, index) =>
        (index % 2 ? a : b).memory(name).put(key, { [field]: field }, 60, 'existing'),
      ),
    );
    const kept = await a.memory(name).get(key);
    assert.equal(Object.keys(kept?.fields ?? {}).sort(), [...all].sort());
  },

  async 'a sum counts each amount and can be read as a field'([a, b]) {
    const [name, key] = [fresh(), fresh()];
    assert.is(await a.memory(name).add(key, 2, 60), 2);
    const sums = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? a : b).memory(name).add(key, 1, 60)),
    );
    assert.equal(
      [...sums].sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index + 3),
    );
    assert.is(await b.memory(name).add(key, -22, 60), 0);
    assert.equal((await a.memory(name).get(key))?.fields, { sum: '0' });
  },

  async 'entries expire: put extends them, and add does not'([a, b]) {
    const [name, put, added] = [fresh(), fresh(), fresh()];
    const memory = b.memory(name);
    await a.memory(name).put(put, { x: '1' }, 1);
    await a.memory(name).add(added, 1, 1);
    await pause(500);
    await memory.put(put, { y: '1' }, 60, 'existing');
    assert.is(await memory.add(added, 1, 60), 2);
    await pause(700);
    assert.equal((await memory.get(put))?.fields, { x: '1', y: '1' });
    assert.is(await memory.get(added), undefined);
    assert.is(await memory.add(added, 1, 60), 1);
  },

  async 'only one process holds a lock at a time'([a, b]) {
    const name = fresh();
    let holders = 0;
    const seen: number[] = [];
    const tokens: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? a : b).lock(name, async ({ token, signal }) => {
          holders += 1;
          seen.push(holders);
          tokens.push(token);
          await pause(5);
          assert.not(signal.aborted);
          holders -= 1;
        }),
      ),
    );
    assert.equal(seen, new Array(12).fill(1));
    assert.equal(
      tokens,
      [...tokens].sort((one, other) => one - other),
      'tokens grow',
    );
    assert.is(new Set(tokens).size, 12);
  },

  async 'rejects an invalid name or waiting time'([a]) {
    const none = JSON.parse('null');
    for (const [name, wait] of [
      [fresh(), Number.NaN],
      [fresh(), none],
      [fresh(), '5'],
      [none, 5],
    ] as const) {
      const failure = await a.lock(name, async () => 'held', { wait }).catch((thrown) => thrown);
      // A message from another process contains only the reason.
      assert.match(String(failure), /TypeError/, `${name} ${wait}`);
      assert.is(failure.code, 'FWK803');
    }
    for (const wait of [-1, 0, 1e12]) assert.is(await a.lock(fresh(), async () => 'held', { wait }), 'held');
  },

  async 'different names are different locks, and results and errors are passed on'([a, b]) {
    const [one, other] = [fresh(), fresh()];
    const given = await a.lock(one, async () => b.lock(other, async () => 'given'));
    assert.is(given, 'given');
    const thrown = await a
      .lock(one, async () => {
        throw new Error('as ever');
      })
      .catch((cause: Error) => cause.message);
    assert.is(thrown, 'as ever');
    assert.is(await b.lock(one, async () => 'free again'), 'free again');
  },

  async 'a caller that waits too long gets LockTaken and blocks no other'([a, b]) {
    const name = fresh();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holding: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      holding = a.lock(name, () => {
        begun();
        return held;
      });
    });
    for (const late of [a, b]) {
      const begun = performance.now();
      const failure = await late.lock(name, async () => 'held', { wait: 200 }).catch((cause) => cause);
      assert.ok(isLockTaken(failure), String(failure));
      const took = performance.now() - begun;
      assert.ok(took >= 190 && took < 2_000, String(took));
    }
    const next = b.lock(name, async () => 'next');
    release();
    await holding;
    assert.is(await next, 'next');
  },
};

/** Memories of fwk itself reject invalid texts and numbers without affecting other calls. */
export async function refusesWhatIsNone([a, b]: Participants): Promise<void> {
  const [name, key] = [fresh(), fresh()];
  const memory = a.memory(name);
  const refused = async (act: () => unknown, what: string) =>
    assert.is(Object(await (async () => act())().catch((thrown) => thrown)).code, 'FWK803', what);
  // As JavaScript, which no compiler has seen, may ask.
  const none = JSON.parse('null');
  await refused(() => memory.put(none, { x: '1' }, 60), 'no key');
  await refused(() => memory.get(none), 'no key to get');
  await refused(() => memory.put(key, { x: none }, 60), 'no text');
  await refused(() => memory.put(key, { x: '1' }, none), 'no age');
  await refused(() => memory.add(key, none, 60), 'no amount');
  assert.is(await b.memory(name).get(key), undefined);
  assert.is(await memory.put(key, { x: '1' }, 60), true);
}
