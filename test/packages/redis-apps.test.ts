import { once } from 'node:events';
import { createClient } from '@redis/client';
import * as assert from 'uvu/assert';
import { publisher } from '../../packages/redis/outside.js';
import { withRedis } from '../harness/redis.js';
import { inSample } from '../harness/sample.js';
import type { Peer } from '../harness/socket.js';
import { Visitor } from '../harness/visitor.js';
import type { Team } from '../harness/workers.js';
import { joined } from './hups.js';
import { events } from './redis-project.js';
import { teams } from './redis-teams.js';

// Two machines of an app, two workers each, on one Redis.

const ROUNDS = inSample(50, 200);

const test = teams('@fwkit/redis in apps');

/** A socket in each of the four processes. */
async function everywhere(a: Team, b: Team, room: string): Promise<Peer[]> {
  const pids = await Promise.all(
    [a, b].map(async (one) => (await one.pids(8)).map((pid) => [one, String(pid)] as const)),
  );
  assert.is(pids.flat().length, 4);
  return Promise.all(pids.flat().map(([one, pid]) => joined(one, room, pid)));
}

test('rooms span four processes of two machines: each message once, in order', async ({ a, b, redis }) => {
  const peers = await everywhere(a, b, 'tea');
  const milk = await joined(b, 'milk');
  const [first, , , last] = peers as [Peer, Peer, Peer, Peer];
  for (let n = 0; n < 200; n += 1) {
    first.send(`a${n}`);
    last.send(`b${n}`);
  }
  for (const [index, peer] of peers.entries()) {
    const all = (await peer.take(400)).map(String);
    for (const name of 'ab')
      assert.equal(
        all.filter((one) => one.startsWith(name)),
        Array.from({ length: 200 }, (_, n) => `${name}${n}`),
        `process ${index}`,
      );
  }
  const bytes = Buffer.from([0, 10, 255]);
  last.send(bytes);
  for (const peer of peers) assert.equal(await peer.next(), bytes);
  await b.ask('/api/publish/tea', { method: 'POST' });
  for (const peer of peers) assert.equal(await peer.json(), { from: 'a route' });
  const client = createClient({ url: redis.url });
  await client.connect();
  assert.is(await publisher({ client, name: 'shop' }).publish('tea', 'from outside'), 4);
  await client.close();
  for (const peer of peers) assert.is(await peer.next(), 'from outside');

  const count = async (expected: number) => {
    for (const limit = performance.now() + 5_000; (await a.ask('/api/count/tea')).json !== expected; )
      assert.ok(performance.now() < limit, `not ${expected} members`);
  };
  await count(4);
  last.close();
  await count(3);
  for (const peer of [...peers, milk]) peer.close();
});

test(`${2 * ROUNDS} simultaneous writes of different session values on two machines: none is lost`, async ({
  a,
  b,
}) => {
  const visitor = new Visitor(a.url);
  await visitor.post('/api/add/one');
  const headers = { cookie: visitor.cookie };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, two] = await Promise.all([
      a.ask('/api/add/one', { method: 'POST', headers }),
      b.ask('/api/add/two', { method: 'POST', headers }),
    ]);
    assert.equal([one.status, two.status], [200, 200]);
  }
  for (const machine of [a, b])
    assert.equal((await machine.ask('/api/read', { headers })).json, [ROUNDS + 1, ROUNDS]);
});

test('a log: who reads on another machine misses nothing, and hears nothing twice', async ({ a, b }) => {
  let n = 0;
  let isOver = false;
  const post = (machine: Team) =>
    machine.ask('/api/news', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ n: n++ }),
    });
  const first = (await post(a)).json as string;
  const writing = (async () => {
    while (!isOver) assert.is((await post(n % 2 === 0 ? a : b)).status, 200);
  })();
  let last = first;
  const all: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const found = await events((round % 2 === 0 ? b : a).url, 50, last);
    all.push(...found.map((one) => one.n));
    last = found.at(-1)?.id ?? '';
  }
  // Two at a time: what is followed from now on is read for both at once.
  const from = n;
  const both = await Promise.all([events(a.url, 20), events(a.url, 20)]);
  isOver = true;
  await writing;
  assert.equal(
    all,
    Array.from({ length: 350 }, (_, at) => at + 1),
  );
  for (const found of both) {
    const begin = found[0]?.n ?? 0;
    // One was on its way.
    assert.ok(begin >= from - 1, `${begin} is not from now on`);
    assert.equal(
      found.map((one) => one.n),
      Array.from({ length: 20 }, (_, at) => begin + at),
    );
  }
});

test('who stands still with a lock finds it lost, under a smaller token', async ({ a, b }) => {
  await a.ask('/api/hold', { method: 'POST' });
  const [, pid = '', token] = await a.output.waitFor(/\[held (\d+) (\d+)\]/);
  process.kill(Number(pid), 'SIGSTOP');
  const begun = performance.now();
  const taken = (await b.ask('/api/take', { method: 'POST' })).json as { token: number };
  const took = performance.now() - begun;
  process.kill(Number(pid), 'SIGCONT');
  await a.output.waitFor(new RegExp(`\\[lost ${pid} ${token}\\]`));
  assert.ok(took < 2_500, `${took} ms`);
  assert.ok(taken.token > Number(token));
});

test('a Redis that stands still: 503 for what needs it, in time; the rest goes on', async ({ redis, a }) => {
  const visitor = new Visitor(a.url);
  await visitor.post('/api/add/one');
  const headers = { cookie: visitor.cookie };
  const pids = await a.pids(8);
  const peers = [await joined(a, 'local'), await joined(a, 'local')] as const;
  redis.pause();
  const begun = performance.now();
  const times: number[] = [];
  // Each worker notices by itself.
  while (times.length < 2 || times.slice(-4).some((ms) => ms > 100)) {
    const asked = performance.now();
    const answer = await a.ask('/api/read', { headers });
    assert.equal([answer.status, answer.headers['retry-after']], [503, '1']);
    times.push(performance.now() - asked);
    assert.ok(times.length < 20);
  }
  assert.ok(Math.max(...times) < 1_200, times.join());
  assert.ok(performance.now() - begun < 4_000);
  assert.is((await a.ask('/api/add/one', { method: 'POST', headers })).status, 503);
  assert.equal(await a.pids(8), pids);
  assert.is((await a.ask('/readyz')).status, 200);
  for (let n = 0; n < 50; n += 1) {
    peers[0].send(String(n));
    for (const peer of peers) assert.is(await peer.next(), String(n));
  }
  redis.resume();
  for (const limit = performance.now() + 5_000; (await a.ask('/api/read', { headers })).status !== 200; )
    assert.ok(performance.now() < limit, 'not back');
  await a.output.waitFor(/redis is away \(no answer within 1000 ms\)/);
  await a.output.waitFor(/redis is back after/);
  for (const peer of peers) peer.close();
  await Promise.all(peers.map(({ socket }) => once(socket, 'close')));
});

const tests = withRedis(test);
tests.run();
