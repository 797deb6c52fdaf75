import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer } from '../harness/redis.js';
import { type Team, team } from '../harness/workers.js';
import { appOf, variables } from './redis-project.js';

interface Machines {
  redis: RedisServer;
  a: Team;
  b: Team;
}

/** A suite over two machines of an app, two workers each, one with each client, on one Redis. */
export function teams(name: string): Test<Machines> {
  const test = suite<Machines>(name);
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
    // Where they do not start, that is what is to be told.
    const ends = await Promise.all([a, b].flatMap((one: Team | undefined) => (one ? [one.stop()] : [])));
    assert.equal(
      ends.map(({ status }) => status),
      ends.map(() => 0),
      a?.output.all + b?.output.all,
    );
  });
  return test;
}
