import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { MAIN } from '../harness/settings.js';
import { add, ends, killAll, printed, type Served, serve, shop, stopped, until } from './queue-project.js';

const test = suite('@fwkit/queue and crashes');
test.after.each(killAll);
test.after(() => redis.stop());
let redis: RedisServer;
test.before(async () => {
  redis = await redisServer();
});
test.before.each(() => redis.restart());

const options = { lease: 1_000 };

test('1,000 jobs survive three kill -9 of consumers', async () => {
  const made = shop();
  const adds = await serve(made, redis, { ...options, consume: false });
  const jobs = Array.from({ length: 1_000 }, (_, n) => [{ to: `n${n}`, ms: 2 }] as const);
  assert.is((await add(adds.url, ...jobs)).status, 200);
  const consumers: Served[] = [];
  const done = () => ends(...consumers.map(({ output }) => output));
  const all = () => `${new Set(done()).size} of 1000 done`;
  for (const atLeast of [150, 400, 700]) {
    const consumer = await serve(made, redis, options);
    consumers.push(consumer);
    await until(() => new Set(done()).size >= atLeast, all);
    consumer.child.kill('SIGKILL');
    await consumer.end;
  }
  consumers.push(await serve(made, redis, options));
  await until(() => new Set(done()).size === 1_000, all);
  // Each killed worker had at most four jobs.
  assert.ok(done().length <= 1_012, `${done().length}`);
  assert.match(
    consumers.at(-1)?.output.all ?? '',
    /did not renew its lease for 1000 ms\. Another process repeats the job\./,
  );
  assert.equal([await stopped(adds), await stopped(consumers.at(-1) as Served)], [0, 0]);
});

test('a job that crashes processes fails after the configured number of crashes', async () => {
  const made = shop({
    'queues/mail.ts': `import { queue } from '@fwkit/queue';
export default queue({ crashes: 1 }, () => { console.log('[dies]'); process.kill(process.pid, 'SIGKILL'); });`,
  });
  const adds = await serve(made, redis, { ...options, consume: false });
  await add(adds.url, [{ to: 'x' }, { id: 'poison' }]);
  for (let count = 0; count < 2; count += 1) {
    const consumer = await serve(made, redis, { lease: 300 }).catch((thrown: Error) => thrown);
    if (consumer instanceof Error) assert.match(consumer.message, '[dies]');
    else assert.is((await consumer.end).status, 'SIGKILL');
  }
  const last = await serve(made, redis, { lease: 300 });
  await last.output.waitFor(/job poison has failed: 2 processes ended while they ran it/);
  assert.equal([await stopped(adds), await stopped(last)], [0, 0]);
});

test('a suspended process loses its job, and its signal is aborted', async () => {
  const made = shop();
  const first = await serve(made, redis, options);
  await add(first.url, [{ to: 'frozen', ms: 2_500, heeds: true }]);
  await first.output.waitFor(/^\[begin frozen 1\]$/m);
  first.child.kill('SIGSTOP');
  const second = await serve(made, redis, options);
  await second.output.waitFor(/^\[begin frozen 1\]$/m);
  first.child.kill('SIGCONT');
  await first.output.waitFor(/this process had lost job \d+, because it did not renew the lease for 1000 ms/);
  assert.equal(printed(first.output, 'aborted'), ['frozen']);
  await second.output.waitFor(/^\[end frozen\]$/m);
  assert.equal([await stopped(first), await stopped(second)], [0, 0]);
  assert.equal(ends(first.output, second.output), ['frozen']);
  assert.is(printed(second.output, 'begin').length, 1);
});

test('SIGTERM: running jobs finish, none start, and other processes do the rest', async () => {
  const made = shop();
  const first = await serve(made, redis, options);
  const jobs = Array.from({ length: 12 }, (_, n) => [{ to: `t${n}`, ms: 300 }] as const);
  await add(first.url, ...jobs);
  await until(
    () => printed(first.output, 'begin').length >= 4,
    () => first.output.all,
  );
  assert.is(await stopped(first), 0);
  const begun = printed(first.output, 'begin').length;
  assert.is(ends(first.output).length, begun);
  assert.ok(begun < 12);
  const second = await serve(made, redis, options);
  await until(
    () => ends(second.output).length === 12 - begun,
    () => second.output.all,
  );
  assert.is(new Set(ends(first.output, second.output)).size, 12);
  assert.is(await stopped(second), 0);
  assert.is(printed(second.output, 'begin').length, 12 - begun);
});

test('SIGTERM before a job ends in time: its signal aborts, the status is 1, and another process repeats it', async () => {
  const made = shop();
  const first = await serve(made, redis, { ...options, drainLimit: 200 });
  await add(first.url, [{ to: 'heeds', ms: 60_000, heeds: true }], [{ to: 'stays', ms: 60_000 }]);
  await until(
    () => printed(first.output, 'begin').length === 2,
    () => first.output.all,
  );
  const began = performance.now();
  assert.is(await stopped(first), 1);
  assert.ok(performance.now() - began < 3_500, `${performance.now() - began} ms`);
  assert.equal(printed(first.output, 'aborted').sort(), ['heeds', 'stays']);
  assert.match(first.output.all, /2 jobs did not end within 200 ms \(queues\.drainLimit\)/);
  assert.not.match(first.output.all, 'failed: attempt');
  const second = await serve(made, redis, { ...options, drainLimit: 0 });
  const [, heeded = ''] = await second.output.waitFor(/^\[begin (heeds) 1\]$/m);
  assert.is(heeded, 'heeds');
  // The other one when its lease has ended.
  await second.output.waitFor(/^\[begin stays 1\]$/m);
  assert.is(await stopped(second), 1);
});

test('with workers, each one does jobs, and all end in order', async () => {
  const made = shop({ 'main.ts': MAIN.replace('bootstrap()', 'bootstrap({ workers: 2 })') });
  made.write(
    'queues/mail.ts',
    `import { queue } from '@fwkit/queue';
export default queue(async () => {
console.log('[begin ' + process.pid + ']');
await new Promise((resolve) => setTimeout(resolve, 50));
console.log('[end ' + process.pid + ']');
});`,
  );
  const served = await serve(made, redis, options);
  await add(served.url, ...Array.from({ length: 20 }, (_, n) => [{ to: `w${n}` }] as const));
  await until(
    () => ends(served.output).length === 20,
    () => served.output.all,
  );
  assert.is(new Set(ends(served.output)).size, 2);
  assert.is(await stopped(served), 0);
});
const tests = withRedis(test);
tests.run();
