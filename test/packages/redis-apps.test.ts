import { createClient } from '@redis/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publisher } from '../../packages/redis/outside.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import type { Peer } from '../harness/socket.js';
import { type Team, team } from '../harness/workers.js';
import { joined } from './hups.js';
import { appOf, events, variables } from './redis-project.js';

const test = suite<{ redis: RedisServer; a: Team; b: Team }>('@fwkit/redis in apps');
test.before(async (context) => {
  context.redis = await redisServer();
  const { url } = context.redis;
  const made = appOf();
  const start = (client: 'redis' | 'ioredis') => team(made, 'main.js', variables(url, client));
  [context.a, context.b] = await Promise.all([start('redis'), start('ioredis')]);
});
test.after(async ({ redis, a, b }) => {
  // With a Redis that is gone, too.
  await redis.kill();
  // If they do not start, their output has the reason.
  const ends = await Promise.all([a, b].flatMap((one: Team | undefined) => (one ? [one.stop()] : [])));
  assert.equal(
    ends.map(({ status }) => status),
    ends.map(() => 0),
    a?.output.all + b?.output.all,
  );
});

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

test('a log: a reader on another machine misses nothing and gets nothing twice', async ({ a, b }) => {
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
  // Two at a time: new subscriptions are read for both together.
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

const tests = withRedis(test);
tests.run();
