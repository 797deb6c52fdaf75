import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failOver, type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { type TcpProxy, tcpProxy } from '../harness/tcp-proxy.js';
import {
  add,
  CLIENTS,
  config,
  ends,
  killAll,
  printed,
  serve,
  shop,
  stopped,
  until,
} from './queue-project.js';

const test = suite('@fwkit/queue over a bad network');
let redis: RedisServer;
let network: TcpProxy;
test.before(async () => {
  redis = await redisServer();
});
test.before.each(async () => {
  await redis.restart();
  network = await tcpProxy(redis.port);
});
test.after.each(() => {
  killAll();
  network.close();
});
test.after(() => redis.stop());

const served = async (client: string, queues: object) =>
  serve(shop({ 'fwk.config.ts': config(client) }), { url: `redis://127.0.0.1:${network.port}` }, queues);

for (const client of Object.keys(CLIENTS)) {
  test(`${client}, with 150 ms of latency: jobs are added and done once each`, async () => {
    const app = await served(client, { lease: 2_000 });
    network.delay(150);
    const jobs = Array.from({ length: 12 }, (_, n) => [{ to: `slow${n}` }, { id: `id${n}` }] as const);
    const begun = performance.now();
    assert.is((await add(app.url, ...jobs)).status, 200);
    const took = performance.now() - begun;
    assert.ok(took > 290 && took < 1_900, `${took} ms`);
    assert.is((await add(app.url, ...jobs)).status, 200, 'those that are known');
    await until(
      () => ends(app.output).length >= 12,
      () => app.output.all,
    );
    network.delay(0);
    assert.is(await stopped(app), 0);
    assert.is(ends(app.output).length, 12);
    assert.is(printed(app.output, 'begin').length, 12);
    assert.not.match(app.output.all, /is unavailable/);
  });

  test(`${client}, on a network that drops everything: rejected in time, and another connection is used`, async () => {
    const app = await served(client, { addLimit: 300, giveUp: 1_000, lease: 1_000 });
    assert.is((await add(app.url, [{ to: 'before' }])).status, 200);
    await app.output.waitFor(/\[end before\]/);
    const from = app.output.mark();
    network.swallow(true);
    for (const limit of [300 + 400, 250]) {
      const begun = performance.now();
      const answer = await add(app.url, [{ to: 'swallowed' }]);
      const took = performance.now() - begun;
      assert.equal([answer.status, answer.headers.get('retry-after')], [503, '1']);
      assert.ok(took < limit, `${took} ms`);
    }
    assert.is((await fetch(`${app.url}/api/ok`)).status, 200);
    const begun = performance.now();
    network.swallow(false);
    await app.output.waitFor(
      /queues: the broker is available again after [\d.]+ s\. 2 jobs could not be added/,
      from,
    );
    assert.ok(performance.now() - begun < 6_000, 'by another connection');
    assert.is((await add(app.url, [{ to: 'after' }])).status, 200);
    await until(
      () => ends(app.output).includes('after'),
      () => app.output.all,
    );
    assert.is(app.output.all.match(/the broker is unavailable/g)?.length, 1, app.output.all);
    assert.is(await stopped(app), 0);
  });

  test(`${client}: a connection that was attempted while the network dropped everything is soon replaced`, async () => {
    const app = await served(client, { giveUp: 8_000 });
    assert.is((await add(app.url, [{ to: 'before' }])).status, 200);
    network.swallow(true);
    await app.output.waitFor(/queues: the broker is unavailable \(no answer for 8000 ms\)/);
    // Its handshake gets no answer.
    await pause(500);
    network.swallow(false);
    const begun = performance.now();
    while ((await add(app.url, [{ to: 'after' }])).status !== 200) await pause(20);
    const took = performance.now() - begun;
    assert.ok(took < 5_000, `${took} ms`);
    assert.is(await stopped(app), 0);
  });

  test(`${client}: after a failover, jobs are added and run again`, async () => {
    const app = await served(client, { giveUp: 500 });
    const replica = await redisServer();
    network.lead(replica.port);
    failOver(redis, replica);
    for (const left = performance.now() + 8_000; (await add(app.url, [{ to: 'again' }])).status !== 200; )
      assert.ok(performance.now() < left, app.output.all);
    await app.output.waitFor(/\[end again\]/);
    assert.is(await stopped(app), 0);
    await replica.stop();
  });

  test(`${client}: a process that only waits for jobs notices, too`, async () => {
    const app = await served(client, { giveUp: 600 });
    const adds = await serve(shop(), redis, { consume: false });
    network.swallow(true);
    await app.output.waitFor(/queues: the broker is unavailable \(no answer for 600 ms\)/);
    network.swallow(false);
    await app.output.waitFor(/queues: the broker is available again/);
    assert.is((await add(adds.url, [{ to: 'anew' }])).status, 200);
    await app.output.waitFor(/\[end anew\]/);
    assert.equal([await stopped(app), await stopped(adds)], [0, 0]);
  });
}

const tests = withRedis(test);
tests.run();
