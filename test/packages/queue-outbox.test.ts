import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { postgresServer, withPostgres } from '../harness/postgres.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { postRoute } from '../harness/source.js';
import { CLIENTS, ends, killAll, printed, serve, shop, stopped, until } from './queue-project.js';

const test = suite('jobs in a transaction of PostgreSQL');
test.after.each(killAll);

test('a job exists if and only if its transaction has committed, also after kill -9', async () => {
  const [redis, database] = await Promise.all([redisServer(), postgresServer()]);
  const made = shop({
    'fwk.config.ts': `${CLIENTS.ioredis}
import pg from 'pg';
import { queues } from '@fwkit/queue';
import { defineConfig } from 'fwkit';
const outbox = () => new pg.Pool({ connectionString: ${JSON.stringify(database.url())} });
export default defineConfig({
  plugins: [queues({ connection, name: 'shop', outbox })],
  queues: JSON.parse(process.env.QUEUES),
});`,
    'services/pool.ts': `import { service } from 'fwkit';
import pg from 'pg';
export default service((ctx, { onDestroy }) => {
  const pool = new pg.Pool({ connectionString: ${JSON.stringify(database.url())} });
  pool.on('error', () => {});
  onDestroy(() => pool.end());
  return pool;
});`,
    // Adds jobs in a transaction, and then does what \`end\` says.
    'api/order.post.ts': postRoute(`async ({ body: { to, end, ...options } }, res, ctx) => {
  const { pool } = ctx;
  if (end === 'pool') return ctx.queues.mail.add({ to }, { transaction: pool }).catch(({ code }) => ({ code }));
  const client = await pool.connect();
  await client.query('BEGIN');
  const transaction = end === 'function' ? (text, values) => client.query(text, values) : client;
  await ctx.queues.mail.add({ to }, { transaction, ...options });
  const ids = await ctx.queues.mail.addMany([{ data: { to: to + '1', text: '\\\\0' } }, { data: { to: to + '2' } }], { transaction });
  await client.query(end === 'ROLLBACK' ? end : 'COMMIT');
  if (end === 'kill') process.kill(process.pid, 'SIGKILL');
  const { rows } = await client.query('SELECT count(*)::int AS count FROM fwk.outbox');
  client.release();
  return { ids, count: rows[0].count };
}`),
    // As if the process had died after the broker had the jobs, and before the database knew.
    'api/repeat.post.ts': postRoute(`async (req, res, { pool }) => {
  const job = { queue: 'mail', data: { to: 'twice' }, id: 'once', delay: 0, attempts: 1, backoff: { type: 'fixed', delay: 1 }, origin: {}, bytes: 9 };
  await pool.query('INSERT INTO fwk.outbox (app, job) VALUES ($1, $2)', ['shop', JSON.stringify(job)]);
  return 1;
}`),
  });
  const post = async (url: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch(() => undefined);
    return (await answer?.json()) as { readonly count: number; readonly ids: readonly string[] };
  };
  // A process that runs no jobs delivers none.
  const web = await serve(made, redis, { consume: false });
  assert.equal(await post(web.url, 'order', { to: 'p', end: 'pool' }), { code: 'FWK838' });
  assert.is((await post(web.url, 'order', { to: 'never', end: 'ROLLBACK' })).count, 0);
  assert.is((await post(web.url, 'order', { to: 'once', end: 'function', id: 'once' })).count, 3);
  await post(web.url, 'order', { to: 'killed', end: 'kill' });
  assert.is((await web.end).status, 'SIGKILL');

  const worker = await serve(made, redis);
  const all = () => worker.output.all;
  const committed = ['killed', 'killed1', 'killed2', 'once', 'once1', 'once2'];
  await until(() => ends(worker.output).length >= 6, all);
  assert.equal(ends(worker.output).sort(), committed);
  await post(worker.url, 'repeat', {});
  assert.is((await post(worker.url, 'order', { to: 'after', end: 'COMMIT' })).ids.length, 2);
  await until(() => ends(worker.output).includes('after2'), all);
  assert.not.ok(printed(worker.output, 'begin').some((text) => /twice|never/.test(text)));

  // A database that is away for a while ends no process.
  await database.crash();
  await worker.output.waitFor(/queues: the outbox is unavailable/);
  await database.restart();
  await worker.output.waitFor(/queues: the outbox is available again/);
  await post(worker.url, 'order', { to: 'later', end: 'COMMIT' });
  await until(() => ends(worker.output).includes('later2'), all);
  assert.is(await stopped(worker), 0);
  await Promise.all([redis.stop(), database.crash()]);
});

const tests = withRedis(withPostgres(test));
tests.run();
