import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import {
  add,
  CLIENTS,
  config,
  ends,
  killAll,
  MAIL,
  type Served,
  serve,
  shop,
  stopped,
  until,
} from './queue-project.js';

const test = suite('@fwkit/queue with connections that close');
let redis: RedisServer;
let admin: Redis;
test.before(async () => {
  redis = await redisServer();
});
test.before.each(async () => {
  await redis.restart();
  admin = new Redis(redis.url);
});
test.after.each(() => {
  killAll();
  admin.disconnect();
});
test.after(() => redis.stop());

const PROCESSES = 4;
const KILLS = 100;

/** Close all connections `KILLS` times, at random moments of about `seconds` seconds. Returns the number of closed connections. */
async function closeConnections(seconds: number): Promise<number> {
  let closed = 0;
  for (let count = 0; count < KILLS; count += 1) {
    closed += Number(await admin.call('CLIENT', 'KILL', 'TYPE', 'normal'));
    await pause((Math.random() * 2_000 * seconds) / KILLS);
  }
  return closed;
}

const ended = (app: Served, to: string) =>
  until(
    () => ends(app.output).includes(to),
    () => app.output.all,
  );

async function assertRuns(app: Served, to: string): Promise<void> {
  for (const left = performance.now() + 10_000; (await add(app.url, [{ to }])).status !== 200; )
    assert.ok(performance.now() < left, app.output.all);
  await ended(app, to);
  assert.is((await fetch(`${app.url}/readyz`)).status, 200);
}

for (const client of Object.keys(CLIENTS)) {
  test(`${client}: consumers survive connections that close during and after the start`, async () => {
    const made = shop({ 'fwk.config.ts': config(client), 'queues/other.ts': MAIL });
    const starts = Array.from({ length: PROCESSES }, (_, n) =>
      serve(made, redis, { lease: 1_000 }, `APP=shop${n}`),
    );
    const first = await Promise.all(starts);
    assert.ok((await closeConnections(2)) > KILLS, 'connections were closed');
    for (const app of first) await assertRuns(app, 'started');

    const jobs = Array.from({ length: 200 }, (_, n) => `job${n}`);
    const [app] = first as [Served];
    const added = jobs.map(async (to, n) => {
      await pause(n * 10);
      const { status } = await add(app.url, [{ to, ms: 20 }, { attempts: 1 }]);
      return status === 200 ? [to] : [];
    });
    await closeConnections(2);
    const accepted = (await Promise.all(added)).flat();
    assert.ok(accepted.length > 0);
    // A job whose process lost the answer is repeated after its lease.
    for (const to of accepted) await ended(app, to);
    const failed = await admin.zrange('fwk:shop0:queue:mail:failed', 0, -1);
    assert.equal(failed, [], 'a completed job is not counted as failed');
    for (const one of first) await assertRuns(one, 'later');
    assert.equal(await Promise.all(first.map(stopped)), [0, 0, 0, 0]);
  });
}

/** A plugin that takes a right away that BullMQ needs, after the app has connected and before its consumers start. */
const REVOKE = `import { Redis as Admin } from 'ioredis';
import { definePlugin } from 'fwkit/plugin';
const revoke = definePlugin({
  name: 'revoke',
  apply(hooks) {
    hooks.serve.tapPromise('revoke', async ({ onStart }) =>
      onStart(async () => {
        const admin = new Admin(process.env.REDIS_URL);
        await admin.acl('SETUSER', 'default', '-info');
        admin.disconnect();
      }),
    );
  },
});
`;

for (const client of Object.keys(CLIENTS))
  test(`${client}: a consumer that cannot start makes /readyz fail, blocks nothing and is started again`, async () => {
    const made = shop({
      'fwk.config.ts': REVOKE + config(client).replace('plugins: [', 'plugins: [revoke, '),
    });
    const app = await serve(made, redis);
    const answers = async (expected: number) => {
      for (const limit = performance.now() + 10_000; ; await pause(20)) {
        if ((await fetch(`${app.url}/readyz`)).status === expected) return;
        assert.ok(performance.now() < limit, app.output.all);
      }
    };
    await app.output.waitFor(/The queue \\"mail\\" failed and will be retried: NOPERM/);
    await answers(503);
    await admin.acl('SETUSER', 'default', '+info');
    assert.is((await add(app.url, [{ to: 'waiting' }])).status, 200);
    await ended(app, 'waiting');
    await answers(200);
    assert.is(await stopped(app), 0);
  });

const tests = withRedis(test);
tests.run();
