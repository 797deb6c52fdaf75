import { createClient, createCluster } from '@redis/client';
import { Cluster, Redis } from 'ioredis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publisher } from '../../packages/redis/outside.js';
import type { Json } from '../../peers/index.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { contract } from '../peers/contract.js';
import { clients, failure, Machine, opened } from './redis-engines.js';

const test = suite<{ redis: RedisServer; a: Machine; b: Machine; admin: Redis }>('engine of @fwkit/redis');

test.before(async (context) => {
  context.redis = await redisServer();
  context.a = await opened('@redis/client', context.redis.url);
  context.b = await opened('ioredis', context.redis.url);
  context.admin = new Redis(context.redis.url);
});
test.after(async ({ a, b, admin, redis }) => {
  await Promise.all([a.engine.close(), b.engine.close(), admin.quit()]);
  await redis.stop();
});

for (const [name, check] of Object.entries(contract)) {
  test(name, ({ a, b }) => check([a.engine, b.engine]));
  // The waiting time is the same in either order.
  if (!name.startsWith('entries expire'))
    test(`${name}; ioredis first`, ({ a, b }) => check([b.engine, a.engine]));
}

test('supports an empty field name, and names that look like markers', async ({ a, b }) => {
  const fields = { '': 'empty', '=': 'one', '==': 'two', __proto__x: 'x', sum: '5' };
  await a.engine.memory('fields').put('k', fields, 60);
  assert.equal((await b.engine.memory('fields').get('k'))?.fields, fields);
  assert.is(await b.engine.memory('fields').add('k', 0.5, 60), 5.5);
});

test('names of memories do not collide with keys', async ({ a }) => {
  await a.engine.memory('one').put('two:three', { x: '1' }, 60);
  assert.is(await a.engine.memory('one:two').get('three'), undefined);
  assert.is(await a.engine.memory('one%3Atwo').get('three'), undefined);
});

test('an invalid call does not count as an outage', async ({ a, admin }) => {
  await admin.set('fwk:shop:memory:wrong:k', 'a text');
  const { thrown } = await failure(() => a.engine.memory('wrong').get('k'));
  assert.match(thrown.message, 'WRONGTYPE');
  assert.is(thrown.name, 'Error');
  assert.is(await a.engine.memory('right').get('k'), undefined);
});

test('scripts are loaded again if the server has lost them', async ({ a, admin }) => {
  await admin.script('FLUSH');
  assert.is(await a.engine.memory('scripts').put('k', { x: '1' }, 60), true);
});

test('messages reach the other machine once, in order and unchanged', async ({ a, b }) => {
  const bodies = ['', 'ä€😀\n', Buffer.from([0, 10, 255]), 'x'.repeat(300_000)];
  const heads: Json[] = [null, { room: 'a' }, ['ä', 1, true], 'text'];
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    to.received.length = 0;
    for (const [at, body] of bodies.entries()) from.engine.send('t', heads[at] ?? null, body);
    for (let n = 0; n < 500; n += 1) from.engine.send('n', n, '');
    await to.until(({ received }) => received.length >= 504);
    assert.equal(
      to.received
        .slice(0, 4)
        .map(({ head, body }) => [head, typeof body === 'string' ? body : Buffer.from(body)]),
      bodies.map((body, at) => [heads[at], body]),
    );
    assert.equal(
      to.received.slice(4).map(({ head }) => head),
      Array.from({ length: 500 }, (_, n) => n),
    );
    assert.is(from.received.filter(({ topic }) => topic === 'n').length, from === a ? 0 : 500);
  }
});

test('duplicate, foreign, malformed and oversized messages are dropped or counted', async ({
  b,
  redis,
  admin,
}) => {
  const y = await new Machine(clients.ioredis(redis.url), { maxMessage: 1_000 }).open();
  const one = `fwk1 ${JSON.stringify({ m: 'm', p: 'p', n: 5, t: 'x' })}\nfive`;
  const own = `fwk1 ${JSON.stringify({ m: y.id, p: 'q', n: 1, t: 'x' })}\nown`;
  const broken = [
    'fwk1 {',
    'fwk1 [1,2]',
    'fwk1 null',
    'fwk1 {"t":1}',
    'fwk1 {"t":"x","n":1}',
    `fwk1 {"t":"x"}\n${'x'.repeat(1_000)}`,
  ];
  const foreign = ['fwk2 {}', '', 'x'.repeat(100)];
  const all = [
    one,
    one,
    one.replace('"n":5', '"n":4'),
    ...broken,
    ...foreign,
    own,
    one.replace('"n":5', '"n":8').replace('five', 'eight'),
  ];
  for (const text of all) await admin.publish('fwk:{shop}:peers', text);
  assert.is(await publisher({ client: admin, name: 'shop' }).publish('tea', { hello: 1 }), 3);
  await y.until(({ received }) => received.some(({ topic }) => topic === 'ws.published'));
  assert.equal(
    y.received.map(({ body }) => body),
    ['five', 'eight', '{"hello":1}'],
  );
  assert.equal(
    ['duplicate', 'malformed', 'missed', 'received'].map((name) => y.figure(name)),
    [2, 6, 2, 3],
  );
  y.engine.send('x', null, 'x'.repeat(1_000));
  assert.is(y.figure('dropped'), 1);
  y.engine.send('x', null, 'short');
  await b.until(({ received }) => received.at(-1)?.body === 'short');
  await y.engine.close();
});

test('publisher accepts the same values as a room, with both clients', async ({ a, redis, admin }) => {
  const client = createClient({ url: redis.url });
  await client.connect();
  for (const one of [client, admin]) {
    a.received.length = 0;
    const { publish } = publisher({ client: one, name: 'shop' });
    for (const data of ['text', Buffer.from([0, 255]), [1], null]) await publish('a room', data);
    await a.until(({ received }) => received.length >= 4);
    assert.equal(
      a.received.map(({ topic, head, body }) => [topic, head, body]),
      ['text', Buffer.from([0, 255]), '[1]', 'null'].map((body) => [
        'ws.published',
        { room: 'a room' },
        body,
      ]),
    );
    assert.match(
      (await failure(() => publish('a', undefined))).thrown.message,
      'cannot send a value of type undefined',
    );
  }
  await client.close();
  const wrong = await failure(() => publisher({ client: admin, name: 'a{b' }));
  assert.match(wrong.thrown.message, 'must be the name of the app');
});

test('an unusable client is reported', async ({ redis, admin }) => {
  const { url } = redis;
  const shared = createClient({ url });
  const wrong: Record<string, readonly [() => unknown, RegExp]> = {
    promise: [() => createClient({ url }).connect(), /returned a promise/],
    number: [() => 5, /did not return a client/],
    undefined: [() => undefined, /did not return a client/],
    'connected already': [() => admin, /already in use/],
    'the same twice': [() => shared, /already in use/],
    cluster: [() => createCluster({ rootNodes: [{ url }] }), /cluster, sentinel or pool/],
    'cluster of ioredis': [() => new Cluster([url], { lazyConnect: true }), /cluster, sentinel or pool/],
    pool: [() => createClient({ url }).createPool(), /cluster, sentinel or pool/],
    prefix: [() => new Redis(url, { keyPrefix: 'x', lazyConnect: true }), /keyPrefix/],
  };
  for (const [name, [make, expected]] of Object.entries(wrong)) {
    const { thrown } = await failure(() => new Machine(make).open());
    assert.is(thrown.name, 'BootError', thrown.stack);
    assert.match(thrown.message, expected, name);
  }
});

test('lazy clients of ioredis are connected, and a closed client stays closed', async ({ redis, a }) => {
  const lazy = await new Machine(() => new Redis(redis.url, { lazyConnect: true })).open();
  await lazy.hears(a);
  await lazy.engine.close();
  const { thrown } = await failure(() => lazy.engine.memory('m').get('k'));
  assert.is(thrown.name, 'Unavailable');
});

const tests = withRedis(test);
tests.run();
