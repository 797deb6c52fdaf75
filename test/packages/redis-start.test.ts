import { Redis } from 'ioredis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { clients, failure, Machine, opened } from './redis-engines.js';

const test = suite<{ redis: RedisServer }>('start of @fwkit/redis');
test.before(async (context) => {
  context.redis = await redisServer();
});
test.after(({ redis }) => redis.stop());

test('an unavailable Redis at startup: one reason, in time, and nothing stays open', async ({ redis }) => {
  for (const name of ['@redis/client', 'ioredis'] as const) {
    const begun = performance.now();
    const none = new Machine(clients[name]('redis://127.0.0.1:1'), { bootLimit: 500 });
    const { thrown } = await failure(() => none.open());
    assert.match(thrown.message, /ECONNREFUSED/);
    const took = performance.now() - begun;
    assert.ok(took < 2_000, `${took} ms`);
    // A missing client is not reported as lost.
    assert.equal(none.lines, []);
  }
  redis.pause();
  const still = await failure(() => new Machine(clients.ioredis(redis.url), { bootLimit: 300 }).open());
  redis.resume();
  assert.match(still.thrown.message, 'no answer within 300 ms');
});

test('a user with minimal permissions suffices, and a lack of permissions is rejected at startup', async ({
  redis,
}) => {
  const admin = new Redis(redis.url);
  const rights =
    'resetkeys ~fwk:shop:* ~fwk:{shop}:* resetchannels &fwk:{shop}:* +@all -@admin -@dangerous +info';
  await admin.acl('SETUSER', 'shop', 'on', '>secret', ...rights.split(' '));
  await admin.acl('SETUSER', 'other', 'on', '>secret', ...rights.replaceAll('shop', 'other').split(' '));
  const as = (user: string) => `redis://${user}:secret@127.0.0.1:${redis.port}`;
  const [x, y] = await Promise.all([opened('@redis/client', as('shop')), opened('ioredis', as('shop'))]);
  await x.hears(y);
  await y.hears(x);
  for (const { engine } of [x, y]) {
    await engine.memory('m').add('rights', 1, 60);
    assert.is(typeof (await engine.lock('rights', async ({ token }) => token)), 'number');
    const log = engine.stream('rights');
    const id = await log.append('"x"', 10, 60);
    assert.is(await log.last(), id);
    assert.ok((await log.after('0-0', 10)).length > 0);
  }
  await Promise.all([x, y].map(({ engine }) => engine.close()));
  for (const name of ['@redis/client', 'ioredis'] as const) {
    const { thrown } = await failure(() => opened(name, as('other')));
    assert.match(thrown.message, 'NOPERM');
  }
  await admin.quit();
});

const tests = withRedis(test);
tests.run();
