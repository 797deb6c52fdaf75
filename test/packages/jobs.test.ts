import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { postRoute } from '../harness/source.js';
import { config, killAll, type Served, serve, shop } from './queue-project.js';

const test = suite('jobs of @fwkit/queue');
let redis: RedisServer;
let app: Served;

test.before(async () => {
  redis = await redisServer();
  app = await serve(
    shop({
      'fwk.config.ts': config(),
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
    }),
    redis,
  );
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

const tests = withRedis(test);
tests.run();
