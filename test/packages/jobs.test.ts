import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import type { Project } from '../harness/project.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { postRoute } from '../harness/source.js';
import { config, killAll, printed, type Served, serve, shop, stopped, until } from './queue-project.js';

const test = suite('jobs of @fwkit/queue');
let redis: RedisServer;
let app: Served;
let made: Project;

test.before(async () => {
  redis = await redisServer();
  made = shop({
    'fwk.config.ts': `import { metrics } from '@fwkit/metrics';
${config()
  .replace('plugins: [', 'plugins: [metrics(), ')
  .replace('queues: {', 'http: { requestIds: true },\n  metrics: { port: 0 },\n  queues: {')}`,
    // Runs a piece of code in the app, and answers with its result or its error.
    'api/run.post.ts': postRoute(`async ({ body }, res, ctx) => {
  try {
    return { result: await new Function('ctx', 'return (async () => {' + body.code + '})()')(ctx) };
  } catch (error) {
    return { error: error.message, code: error.code };
  }
}`),
    'queues/order.ts': `import { queue } from '@fwkit/queue';
import { z } from 'zod';
export default queue({ data: z.object({ id: z.string(), language: z.string().default('en') }) }, (data) => {
  console.log('[order ' + JSON.stringify(data) + ']');
});`,
    // Each job runs until a request to its process releases it.
    'queues/held.ts': `import { queue } from '@fwkit/queue';
export default queue({ globalConcurrency: 2 }, (data, ctx, job) => {
  console.log('[held ' + job.id + ']');
  return new Promise((resolve) => { globalThis.release = resolve; });
});`,
    'api/release.post.ts': postRoute('() => (globalThis.release(), 1)'),
    'queues/limited.ts': `import { queue } from '@fwkit/queue';
export default queue({ limiter: { max: 3, duration: 300 } }, () => [process.pid, Date.now()]);`,
    'queues/work.ts': `import { queue } from '@fwkit/queue';
const began = new Map();
const failed = ({ id, data, attempt, error }, ctx) => {
  console.log('[gave up ' + id + ' ' + [data.kind, attempt, error.message] + ' ' + typeof ctx.queues.work.add + ']');
  if (data.kind === 'adds') throw new Error('never');
};
export default queue({ attempts: 3, timeout: 400, concurrency: 8, backoff: { type: 'fixed', delay: 1 }, failed }, async ({ kind }, ctx, job) => {
  const { id, attempt, signal, fail, retryIn, progress } = job;
  const runs = (began.get(id) ?? 0) + 1;
  began.set(id, runs);
  if (kind === 'fails') fail('no such user');
  if (kind === 'later' && runs < 3) retryIn(0.1);
  if (kind === 'hangs') await new Promise(() => signal.addEventListener('abort', () => console.log('[aborted ' + id + ' ' + signal.reason.message + ']')));
  if (kind === 'adds') {
    ctx.logger.info('adds');
    await ctx.queues.work.add({ kind: 'fails' }, { id: 'added' });
  }
  if (kind === 'date') return { at: new Date(0) };
  if (kind === 'steps') {
    for (let n = 1; n <= 100; n++) progress(n, 100);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return (await ctx.queues.work.getJob(id)).progress;
  }
  return { kind, attempt, runs };
});`,
  });
  app = await serve(made, redis);
});
test.after(async () => {
  killAll();
  await redis.stop();
});

/** Runs `code` with `ctx` in the app. */
async function run(code: string): Promise<{ result?: unknown; error?: string; code?: string }> {
  const body = JSON.stringify({ code });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${app.url}/api/run`, { method: 'POST', headers, body });
  return (await answer.json()) as { result?: unknown };
}

test('a schema checks the data of a job when it is added and when it runs', async () => {
  assert.equal(await run('return ctx.queues.order.add({ id: 7 })'), {
    error:
      'ctx.queues.order.add(): the data does not match the schema of the queue: id: Invalid input: expected string, received number.',
    code: 'FWK834',
  });
  await run("return ctx.queues.order.add({ id: 'new' })");
  await app.output.waitFor(/\[order \{"id":"new","language":"en"\}\]/);

  // A job of another release.
  await run(`
const { Queue } = await import('bullmq');
const queue = new Queue('order', { connection: { port: ${redis.port} }, prefix: 'fwk:shop:queue' });
await queue.add('order', { number: 7 }, { attempts: 5, jobId: 'older' });
await queue.close();`);
  await app.output.waitFor(
    /queues\/order\.js failed: attempt 1 of 1 of job older.*The data does not match the schema in queues\/order\.js: id: Invalid input.*give new properties a default/,
  );
});

test('log lines of a job have its ID, and the request and the trace that added it', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const body = JSON.stringify({ code: "await ctx.queues.work.add({ kind: 'adds' }, { id: 'adds' })" });
  const headers = { 'content-type': 'application/json', traceparent, 'x-request-id': 'request-7' };
  const from = app.output.mark();
  await fetch(`${app.url}/api/run`, { method: 'POST', headers, body });
  await app.output.waitFor(/failed: attempt 1 of 1 of job added/, from);
  const lines = app.output.all.split('\n').filter((line) => /"(added|adds)"/.test(line));
  const fields = lines.map((line) => {
    const { level, requestId, route, traceId, queue, job, attempt } = JSON.parse(line);
    return [level, requestId, route, traceId, queue, job, attempt];
  });
  const shared = ['request-7', 'QUEUE work', trace, 'work'];
  assert.equal(fields, [
    ['info', ...shared, 'adds', 1],
    ['error', ...shared, 'added', 1],
  ]);
});

test('a caller waits for the result of a job, and reads a job by its ID', async () => {
  const ask = (kind: string, more = '') =>
    run(`const { work } = ctx.queues; const id = await work.add({ kind: '${kind}' }, { id: 'the:${kind}' });
${more} return await work.waitUntilFinished(id, { timeout: 5_000 });`);
  assert.equal((await ask('plain')).result, { kind: 'plain', attempt: 1, runs: 1 });
  assert.equal((await ask('steps')).result, { done: 100, total: 100 });
  assert.equal(
    await run("const { addedAt, ...job } = await ctx.queues.work.getJob('the:plain'); return job"),
    {
      result: {
        id: 'the:plain',
        state: 'completed',
        data: { kind: 'plain' },
        attemptsMade: 1,
        result: { kind: 'plain', attempt: 1, runs: 1 },
      },
    },
  );
  assert.equal(await run("return await ctx.queues.work.getJob('none') ?? 'nothing'"), { result: 'nothing' });
  assert.equal(await run("return ctx.queues.work.waitUntilFinished('none')"), {
    error: 'Job none of the queue "work" does not exist.',
    code: 'FWK836',
  });
  assert.equal(await ask('date'), {
    error:
      'Job the:date of the queue "work" has completed, but the result.at is a Date, which JSON cannot represent.',
    code: 'FWK836',
  });
  assert.equal(
    await run(
      "const id = await ctx.queues.work.add({}, { delay: 60_000, id: 'd' }); return ctx.queues.work.waitUntilFinished(id, { timeout: 50 })",
    ),
    { error: 'Job d of the queue "work" did not finish within 50 ms.', code: 'FWK836' },
  );
});

test('a job fails for good, retries later, and ends after its time limit', async () => {
  const wait = (kind: string) =>
    run(`const id = await ctx.queues.work.add({ kind: '${kind}' }, { id: '${kind}' });
return await ctx.queues.work.waitUntilFinished(id).catch(async (error) => [error.code, error.message, (await ctx.queues.work.getJob(id)).attemptsMade]);`);
  const [fails, later, hangs] = await Promise.all([wait('fails'), wait('later'), wait('hangs')]);
  assert.equal(fails.result, ['FWK835', 'Job fails of the queue "work" has failed: no such user', 1]);
  assert.equal(later.result, { kind: 'later', attempt: 1, runs: 3 });
  const late = 'The job did not end within 400 ms (the option "timeout" of its queue)';
  assert.equal(hangs.result, ['FWK835', `Job hangs of the queue "work" has failed: ${late}`, 3]);
  assert.match(app.output.all, `[aborted hangs ${late}]`);
  assert.not.match(app.output.all, 'failed: attempt 1 of 3 of job later');
  await app.output.waitFor(/^\[gave up fails fails,1,no such user function\]$/m);
  await app.output.waitFor(/^\[gave up hangs hangs,3,The job did not end within 400 ms .*\]$/m);
  assert.is(app.output.stdout.match(/^\[gave up (hangs|later) /gm)?.length, 1);
  // A final failure is a decision of the function, and has no stack trace.
  const logged = app.output.all.split('\n').filter((line) => line.includes('attempt 1 of 1 of job fails'));
  assert.is(logged.length, 1);
  assert.is(JSON.parse(logged[0] ?? '').err, undefined);
});

test('many jobs are added at once, and all or none', async () => {
  const code = (
    data: string,
  ) => `const ids = await ctx.queues.order.addMany([{ data: { id: 'a' }, id: 'x:1' }, { data: { id: ${data} } }, { data: { id: 'c' }, id: 'x:1' }]);
return Promise.all(ids.map((id) => ctx.queues.order.waitUntilFinished(id).then(() => id)));`;
  assert.equal(await run(code('7')), {
    error:
      'ctx.queues.order.addMany(): job 1: the data does not match the schema of the queue: id: Invalid input: expected string, received number.',
    code: 'FWK834',
  });
  assert.equal(await run("return await ctx.queues.order.getJob('x:1') ?? 'nothing'"), { result: 'nothing' });
  const { result, error: none } = await run(code("'b'"));
  assert.ok(Array.isArray(result), none);
  assert.equal([result[0], result[2]], ['x:1', 'x:1']);
  assert.equal(await run('return ctx.queues.order.addMany([])'), { result: [] });
  assert.equal(await run("return ctx.queues.order.addMany([{ data: { id: 'x' } }, 5])"), {
    error: 'ctx.queues.order.addMany(): job 1 must be an object: { data, id }.',
    code: 'FWK833',
  });
  const { error } = await run(
    "return ctx.queues.order.add({ id: 'x' }, { transaction: { query: () => {} } })",
  );
  assert.match(String(error), 'The option "transaction" needs queues({ outbox:');
  // Several times as fast on an idle machine. On a busy one, both mostly wait for the CPU.
  const times =
    await run(`const time = async (add) => { const begun = performance.now(); await add(); return performance.now() - begun; };
const jobs = Array.from({ length: 400 }, (_, n) => ({ data: { to: 'bulk' }, delay: 600_000 }));
const many = () => time(() => ctx.queues.mail.addMany(jobs));
const each = () => time(async () => { for (const { data, delay } of jobs) await ctx.queues.mail.add(data, { delay }); });
const all = [];
for (let n = 0; n < 3; n += 1) all.push([await many(), await each()]);
return all;`);
  const [many, each] = [0, 1].map((at) =>
    Math.min(...(times.result as number[][]).map((pair) => pair[at] ?? 0)),
  );
  if (many === undefined || each === undefined) throw new Error(times.error);
  assert.ok(each / many > 1.2, `${each} ms one by one, ${many} ms at once`);
});

test('a failed ID can be added again', async () => {
  const add = (options: string) =>
    run(`const id = await ctx.queues.work.add({ kind: 'fails' }, { id: 'again', ${options} });
await ctx.queues.work.waitUntilFinished(id).catch(() => {});
const { addedAt } = await ctx.queues.work.getJob(id); return +addedAt`);
  const first = await add('');
  assert.equal(await add(''), first);
  assert.ok(Number((await add('again: true')).result) > Number(first.result));
});

test('three processes together run at most globalConcurrency jobs', async () => {
  const others = await Promise.all([serve(made, redis), serve(made, redis)]);
  const all = [app, ...others].map((served) => ({ ...served, released: 0 }));
  const began = (output: Served['output']) => printed(output, 'held').length;
  const count = () => all.reduce((sum, { output }) => sum + began(output), 0);
  const jobs = 8;
  await run(`return ctx.queues.held.addMany(Array.from({ length: ${jobs} }, () => ({})))`);
  for (let released = 0; released < jobs; released += 1) {
    const expected = Math.min(jobs, released + 2);
    await until(
      () => count() >= expected,
      () => `${count()} of ${expected} jobs began`,
    );
    // If a third job ran, the next rounds would find it, too.
    assert.is(count(), expected);
    const running = all.filter((one) => began(one.output) > one.released);
    // Each process runs one job at a time.
    assert.is(running.length, expected - released);
    const [first] = running;
    if (!first) throw new Error('No job runs');
    first.released += 1;
    await fetch(`${first.url}/api/release`, { method: 'POST' });
  }
  assert.equal(await Promise.all(others.map(stopped)), [0, 0]);
});

test('two processes together start at most as many jobs as the limiter allows', async () => {
  const other = await serve(made, redis);
  const { result, error } = await run(`const { limited } = ctx.queues;
const ids = await limited.addMany(Array.from({ length: 12 }, () => ({})));
return Promise.all(ids.map((id) => limited.waitUntilFinished(id)));`);
  assert.is(error, undefined);
  const runs = result as [pid: number, at: number][];
  const times = runs.map(([, at]) => at);
  // Four windows of 300 ms. A busy machine may start the first job late.
  assert.ok(Math.max(...times) - Math.min(...times) >= 600, times.join());
  assert.is(new Set(runs.map(([pid]) => pid)).size, 2);
  assert.is(await stopped(other), 0);
});

test('metrics count the jobs of each queue, and jobs of a removed queue are reported', async () => {
  await run(`const { Queue } = await import('bullmq');
const queue = new Queue('order', { connection: { port: ${redis.port} }, prefix: 'fwk:shop:queue' });
await queue.pause();
await ctx.queues.order.add({ id: 'paused' });
await ctx.queues.order.add({ id: 'later' }, { delay: 60_000 });
await new Promise((resolve) => setTimeout(resolve, 50));
await queue.close();`);
  const [, place = ''] = await app.output.waitFor(/Metrics: (http:[^\s"]+)/);
  const text = await (await fetch(place)).text();
  for (const [state, count] of Object.entries({ waiting: 1, active: 0, delayed: 1, completed: 3, failed: 1 }))
    assert.match(text, `fwk_queue_jobs{queue="order",state="${state}"} ${count}\n`);
  const [, age] = /^fwk_queue_oldest_job_age_seconds\{queue="order"\} ([\d.]+)$/m.exec(text) ?? [];
  assert.ok(Number(age) >= 0.05 && Number(age) < 5, age);
  assert.match(text, 'fwk_queue_oldest_job_age_seconds{queue="mail"} 0\n');

  const next = await serve(shop(), redis);
  await next.output.waitFor(
    /"code":"FWK837","msg":"2 jobs wait in the queue \\"order\\", which has no file in queues\//,
  );
  assert.equal(await stopped(next), 0);
});

test('fwk jobs lists, shows, retries, removes, pauses and resumes jobs', async () => {
  process.env.REDIS_URL = redis.url;
  const jobs = async (...args: string[]) => {
    const { status, stdout, stderr } = await fwk(made, 'jobs', ...args);
    return status === 0 ? stdout : stderr;
  };
  await run(
    `await ctx.queues.work.add({ kind: 'fails' }, { id: 'cli:1' }); await ctx.queues.work.waitUntilFinished('cli:1').catch(() => {});`,
  );
  assert.match(await jobs(), /│ \(index\) +│ waiting +│ active[\s\S]*│ work +│ 0 +│ 0 /);
  assert.match(
    await jobs('list', 'work', '--state', 'failed'),
    /│ 'cli:1' +│ 'failed' +│ 1 .*'no such user' +│$/m,
  );
  const shown = JSON.parse(await jobs('show', 'work', 'cli:1'));
  assert.equal([shown.id, shown.state, shown.failedReason], ['cli:1', 'failed', 'no such user']);
  assert.is(JSON.parse(await jobs('pause', 'work', '--json')).isPaused, true);
  await jobs('retry', 'work', 'cli:1');
  assert.is((await run("return (await ctx.queues.work.getJob('cli:1')).state")).result, 'waiting');
  await jobs('remove', 'work', 'cli:1');
  assert.equal((await run("return await ctx.queues.work.getJob('cli:1') ?? 'none'")).result, 'none');
  await run("await ctx.queues.work.add({ kind: 'plain' }, { id: 'cli:2' })");
  assert.equal(JSON.parse(await jobs('resume', '--json')).work.isPaused, false);
  assert.equal((await run("return (await ctx.queues.work.waitUntilFinished('cli:2')).kind")).result, 'plain');
  assert.match(await jobs('retry', 'male'), 'has no queue "male". Its queues are');
  assert.match(await jobs('stop'), 'FWK833 fwk jobs has no action "stop". Use list, show, retry');
  assert.match(await jobs('show', 'work', 'none'), 'FWK833 The queue "work" has no job "none".');
});

const tests = withRedis(test);
tests.run();
