import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { postRoute, route } from '../harness/source.js';
import {
  add,
  CLIENTS,
  config,
  ends,
  killAll,
  printed,
  type Served,
  serve,
  shop,
  stopped,
  until,
} from './queue-project.js';

const test = suite('@fwkit/queue with Redis');
test.after.each(killAll);
test.after(() => redis.stop());
let redis: RedisServer;
test.before(async () => {
  redis = await redisServer();
});

for (const client of Object.keys(CLIENTS))
  test(`${client}: one process does the jobs that another adds; retries, delay, ID, priority`, async () => {
    await redis.restart();
    const made = shop({
      'fwk.config.ts': config(client),
      'queues/order.ts': `import { queue } from '@fwkit/queue';
export default queue(({ n }, ctx) => { ctx.logger.info('in line'); console.log('[order ' + n + ']'); });`,
      'api/order.post.ts': postRoute(`async (req, res, ctx) => {
  for (const [n, priority] of req.body) await ctx.queues.order.add({ n }, { priority });
  return 1;
}`),
    });
    const adds = await serve(made, redis, { consume: false });
    // All jobs of one priority are added before a worker takes one.
    const ordered = [['c', 9], ['b', 2], ['a']];
    await fetch(`${adds.url}/api/order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ordered),
    });
    const does = await serve(made, redis);
    const began = performance.now();
    const answer = await add(
      adds.url,
      [{ to: 'one' }, { id: 'welcome:7' }],
      [{ to: 'twice' }, { id: 'welcome:7' }],
      [{ to: 'late' }, { delay: 400 }],
      [{ to: 'thrice', fail: 2 }],
      [
        { to: 'never', fail: 9 },
        { attempts: 2, id: '7' },
      ],
    );
    const ids = (await answer.json()) as string[];
    assert.equal([ids[0], ids[1], ids[4]], ['welcome:7', 'welcome:7', '7']);
    await does.output.waitFor(/attempt 2 of 2 of job 7"/);
    await until(
      () => ends(does.output).length === 3,
      () => does.output.all,
    );
    assert.ok(performance.now() - began > 400);
    assert.equal(ends(does.output).sort(), ['late', 'one', 'thrice']);
    const tries = printed(does.output, 'begin').filter((text) => /thrice|never/.test(text));
    assert.equal(tries.sort(), ['never 1', 'never 2', 'thrice 1', 'thrice 2', 'thrice 3']);
    assert.equal(printed(does.output, 'order'), ['a', 'b', 'c']);
    assert.match(
      does.output.all,
      /"msg":"in line","queue":"order","job":"\d+","attempt":1|"queue":"order".*"in line"/,
    );
    assert.match(does.output.all, 'no luck with never');
    assert.equal(printed(adds.output, 'begin'), []);
    assert.equal([await stopped(adds), await stopped(does)], [0, 0]);
  });

const statusOf = async (served: Served, data: object): Promise<[number, number]> => {
  const began = performance.now();
  const { status, headers } = await add(served.url, [data]);
  if (status === 503) assert.is(headers.get('retry-after'), '1');
  return [status, performance.now() - began];
};

for (const client of Object.keys(CLIENTS))
  test(`${client}: a suspended or restarted broker ends no process`, async () => {
    await redis.restart();
    const served = await serve(
      shop({
        'fwk.config.ts': config(client),
        // No caller awaits it.
        'api/careless.get.ts': route("(req, res, ctx) => void ctx.queues.mail.add({ to: 'careless' })"),
      }),
      redis,
      { addLimit: 300, lease: 1_000 },
    );
    assert.is((await add(served.url, [{ to: 'before' }])).status, 200);
    redis.pause();
    const [status, took] = await statusOf(served, { to: 'still' });
    assert.is(status, 503);
    assert.ok(took > 250 && took < 600, `${took} ms`);
    const [again, tookAgain] = await statusOf(served, { to: 'again' });
    assert.is(again, 503);
    assert.ok(tookAgain < 100, `${tookAgain} ms`);
    assert.ok((await fetch(`${served.url}/api/careless`)).ok);
    assert.is((await fetch(`${served.url}/api/ok`)).status, 200);
    redis.resume();
    await served.output.waitFor(
      /queues: the broker is available again after [\d.]+ s\. 3 jobs could not be added\./,
    );
    assert.is((await add(served.url, [{ to: 'after' }])).status, 200);
    await until(
      () => ends(served.output).includes('after'),
      () => served.output.all,
    );

    const from = served.output.mark();
    await redis.kill();
    await served.output.waitFor(/queues: the broker is unavailable \(/, from);
    const [gone, tookGone] = await statusOf(served, { to: 'gone' });
    assert.is(gone, 503);
    assert.ok(tookGone < 100, `${tookGone} ms`);
    await redis.restart();
    await served.output.waitFor(/queues: the broker is available again/, from);
    assert.is((await add(served.url, [{ to: 'anew' }])).status, 200);
    await until(
      () => ends(served.output).includes('anew'),
      () => served.output.all,
    );
    assert.is(served.output.all.match(/the broker is unavailable/g)?.length, 2, served.output.all);
    assert.is(await stopped(served), 0);
  });

const tests = withRedis(test);
tests.run();
