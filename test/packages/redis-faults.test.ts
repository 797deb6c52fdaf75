import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failOver, type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { type TcpProxy, tcpProxy } from '../harness/tcp-proxy.js';
import { clients, failure, Machine, opened } from './redis-engines.js';

const test = suite<{ redis: RedisServer; network: TcpProxy; a: Machine; b: Machine; c: Machine }>(
  'faults of @fwkit/redis',
);
const TIMEOUT = 300;
const settings = { timeout: TIMEOUT, giveUp: 600, heartbeat: 200, backlog: 1_000_000 };

test.before(async (context) => {
  context.redis = await redisServer();
  context.network = await tcpProxy(context.redis.port);
  const far = `redis://127.0.0.1:${context.network.port}`;
  context.a = await opened('@redis/client', far, settings);
  context.b = await opened('ioredis', far, settings);
  context.c = await opened('ioredis', context.redis.url, settings);
});
test.after(async ({ redis, network, ...machines }) => {
  await Promise.all([machines.a, machines.b, machines.c].map(({ engine }) => engine.close()));
  network.close();
  await redis.stop();
});

const isAway = ({ engine }: Machine) => engine.status().detail?.startsWith('unavailable') === true;
const back = (machine: Machine) => machine.until((one) => !isAway(one), 'be back');

/** All that is sent from now on is received by `to` once, in order, or counted as lost on both sides. */
function account(from: readonly Machine[], to: Machine) {
  const topic = randomUUID();
  const counts = from.map(() => 0);
  const unsent = () => from.map((one) => one.figure('dropped'));
  const before = { unsent: unsent(), missed: to.figure('missed') };
  const receivedFrom = (at: number) =>
    to.received.filter((one) => one.topic === `${topic} ${at}`).map(({ head }) => Number(head));
  return {
    send(at: number, body = ''): void {
      counts[at] = (counts[at] ?? 0) + 1;
      from[at]?.engine.send(`${topic} ${at}`, counts[at], body);
    },
    /** By sender, when all is known. */
    async settle(): Promise<{ readonly received: number; readonly unsent: number }[]> {
      const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
      const received = () => sum(from.map((_, at) => receivedFrom(at).length));
      const missed = () => to.figure('missed') - before.missed;
      await to.until(() => received() + missed() >= sum(counts), 'hear or miss all');
      const ends = from.map((_, at) => {
        const numbers = receivedFrom(at);
        assert.equal(
          numbers,
          [...new Set(numbers)].sort((x, y) => x - y),
          'in order, each once',
        );
        return { received: numbers.length, unsent: (unsent()[at] ?? 0) - (before.unsent[at] ?? 0) };
      });
      assert.is(received() + missed(), sum(counts));
      return ends;
    },
  };
}

const unavailable = async (machine: Machine) => {
  const { thrown, ms } = await failure(() => machine.engine.memory('m').get('k'));
  assert.is(thrown.name, 'Unavailable', thrown.stack);
  return { ms, message: thrown.message };
};

test('a suspended Redis: calls are rejected in time, then immediately, and queued messages are limited and counted', async ({
  redis,
  a,
  b,
  c,
}) => {
  const counted = account([a, b], c);
  redis.pause();
  for (const [at, machine] of [a, b].entries()) {
    const begun = performance.now();
    for (let n = 0; n < 30; n += 1) counted.send(at, 'x'.repeat(100_000));
    assert.ok(performance.now() - begun < 200, 'sending does not wait');
    const waiting = machine.figure('bytes queued');
    assert.ok(waiting > 500_000 && waiting <= 1_000_000, String(waiting));
  }
  for (const { ms } of await Promise.all([unavailable(a), unavailable(b)]))
    assert.ok(ms >= TIMEOUT - 20 && ms < TIMEOUT + 150, `${ms} ms`);
  for (const machine of [a, b]) {
    const { ms, message } = await unavailable(machine);
    assert.ok(ms < 100, `${ms} ms`);
    assert.is(message, `redis is unavailable (no answer within ${TIMEOUT} ms)`);
  }
  for (const at of [0, 1]) counted.send(at);
  redis.resume();
  await Promise.all([a, b, c].map(back));
  // Exactly the messages that were not sent did not arrive.
  for (const { received, unsent } of await counted.settle()) {
    assert.ok(received >= 5 && received <= 10, `${received} have waited`);
    assert.is(unsent, 31 - received);
  }
  assert.is(await a.engine.memory('m').get('k'), undefined);
  await c.hears(a);
});

test('after a restart of Redis, everything recovers, and both sides have the same counts', async ({
  redis,
  a,
  b,
  c,
}) => {
  for (const { lines } of [a, b, c]) lines.length = 0;
  const token = () => a.engine.lock('faults', async (held) => held.token);
  const before = await token();
  const counted = account([a, b], c);
  const sending = setInterval(() => {
    for (const at of [0, 1]) counted.send(at, 'x');
  }, 5);
  await c.until(({ received }) => received.at(-1)?.body === 'x');
  await redis.kill();
  await Promise.all([a, b, c].map((one) => one.until(isAway)));
  const refused = await Promise.all([unavailable(a), unavailable(b)]);
  for (const { ms } of refused) assert.ok(ms < 100, `${ms} ms`);
  await redis.restart();
  await Promise.all([a, b, c].map(back));
  // The subscription is back when both receive a new message.
  await c.hears(a);
  await c.hears(b);
  clearInterval(sending);
  for (const { unsent } of await counted.settle()) assert.ok(unsent > 0);
  for (const { lines } of [a, b]) {
    const reports = lines.filter((line) => /redis is/.test(line));
    assert.is(reports.length, 2, lines.join('\n'));
    assert.match(
      reports[0] ?? '',
      /^warn redis is unavailable \(.+\): rooms work within this machine only, and requests that need/,
    );
    assert.match(
      reports[1] ?? '',
      /^info redis is available again after \d\.\d s\. [1-9]\d* messages could not be sent\.$/,
    );
  }
  await c.until(({ lines }) =>
    lines.some((line) => /^warn redis: \d+ messages from other machines did not arrive\.$/.test(line)),
  );
  assert.is(await b.engine.memory('m').put('k', { x: '1' }, 60), true);
  assert.ok((await token()) > before, 'tokens grow, though the server has lost them');
});

test('a network that drops everything: another connection is used', async ({ network, a, b, c }) => {
  network.swallow(true);
  const begun = performance.now();
  await Promise.all([unavailable(a), unavailable(b)]);
  network.swallow(false);
  await Promise.all([a, b].map(back));
  const took = performance.now() - begun;
  assert.ok(took >= settings.giveUp && took < 3 * settings.giveUp + 1_500, `${took} ms`);
  assert.is(await a.engine.memory('m').put('k', { x: '1' }, 60), true);
  for (const machine of [a, b]) {
    await machine.hears(c);
    await c.hears(machine);
  }
});

test('a subscriber connection that receives nothing is replaced, too', async ({ redis, network }) => {
  let made = 0;
  const makeClient = () => {
    made += 1;
    return clients.ioredis(made % 2 === 1 ? redis.url : `redis://127.0.0.1:${network.port}`)();
  };
  const machine = await new Machine(makeClient, settings).open();
  network.swallow(true);
  await machine.until(isAway);
  network.swallow(false);
  await back(machine);
  assert.match(machine.lines[0] ?? '', 'redis is unavailable (no message received)');
  assert.ok(made >= 4, String(made));
  await machine.engine.close();
});

test('connections that the server closes are replaced', async ({ redis, a, b, c }) => {
  await Promise.all([a, b, c].map(back));
  const admin = new Redis(redis.url);
  for (const type of ['NORMAL', 'PUBSUB']) await admin.call('CLIENT', 'KILL', 'TYPE', type);
  await Promise.all([a, b, c].map(back));
  for (const machine of [a, b]) {
    await machine.hears(c);
    await c.hears(machine);
  }
  await admin.quit();
});

test('with 150 ms of latency, messages stay in order and none is lost', async ({ network, c, redis }) => {
  const far = `redis://127.0.0.1:${network.port}`;
  const slow = await Promise.all((['@redis/client', 'ioredis'] as const).map((name) => opened(name, far)));
  network.delay(150);
  for (const machine of slow) {
    const counted = account([machine], c);
    for (let n = 0; n < 300; n += 1) counted.send(0);
    const begun = performance.now();
    assert.is(await machine.engine.memory('slow').put('k', { x: '1' }, 60), true);
    const took = performance.now() - begun;
    assert.ok(took >= 300 && took < 900, `${took} ms`);
    assert.equal(await counted.settle(), [{ received: 300, unsent: 0 }]);
  }
  network.delay(0);
  await Promise.all(slow.map(({ engine }) => engine.close()));
  assert.ok(redis.pid > 0);
});

test('after a failover, commands reach the new primary', async () => {
  const [primary, replica] = await Promise.all([redisServer(), redisServer()]);
  const network = await tcpProxy(primary.port);
  const url = `redis://127.0.0.1:${network.port}`;
  const machines = await Promise.all(
    (['@redis/client', 'ioredis'] as const).map((name) => opened(name, url, settings)),
  );
  network.lead(replica.port);
  failOver(primary, replica);
  for (const machine of machines) {
    const isAdded = async () => machine.engine.memory('m').add('k', 1, 60);
    const failed = () => false;
    for (const left = performance.now() + 8_000; (await isAdded().catch(failed)) === false; await pause(20))
      assert.ok(performance.now() < left, machine.lines.join());
    await machine.engine.close();
  }
  network.close();
  await Promise.all([primary.stop(), replica.stop()]);
});

const tests = withRedis(test);
tests.run();
