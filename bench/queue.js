/** Jobs per second, and the latency from adding to running a job, compared with BullMQ. Both run in this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { queues } from '@fwkit/queue';
import { Queue, Worker } from 'bullmq';
import { createApp } from 'fwkit';
import { Redis } from 'ioredis';
import { positive } from './lib/options.js';
import { freePort } from './lib/processes.js';
import { describeMachine, median, table } from './lib/report.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const ROUNDS = positive('rounds', values.rounds);
const JOBS = 5_000;
const SINGLE_JOBS = 300;
const CONCURRENCY = 20;
/** The options that @fwkit/queue gives to each job. */
const OPTIONS = {
  attempts: 3,
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 1_209_600 },
};

const port = Number(await freePort());
const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no']);
await once(redis.stdout, 'data');

let count = 0;
let isDone = () => {};
globalThis.ran = () => {
  count += 1;
  isDone();
};
const until = (expected) =>
  new Promise((resolve) => {
    isDone = () => count >= expected && resolve();
    isDone();
  });

const connection = () => new Redis(port, { maxRetriesPerRequest: null });
const bare = new Queue('work', { connection: connection() });
const worker = new Worker('work', async ({ data }) => globalThis.ran(data), {
  connection: connection(),
  concurrency: CONCURRENCY,
});
const app = await createApp({
  dir: join(import.meta.dirname, 'fwk/jobs'),
  plugins: [queues({ connection })],
  queues: { addLimit: 60_000 },
});
const { work } = app.ctx.queues;
const all = Array.from({ length: JOBS }, (_, n) => ({ n }));
const SUBJECTS = {
  BullMQ: {
    add: (data) => bare.add('work', data, OPTIONS),
    addAll: () => bare.addBulk(all.map((data) => ({ name: 'work', data, opts: OPTIONS }))),
  },
  fwk: { add: (data) => work.add(data), addAll: () => work.addMany(all.map((data) => ({ data }))) },
};

const results = Object.fromEntries(
  Object.keys(SUBJECTS).map((name) => [name, { rates: [], latencies: [], computed: [] }]),
);
// The first round warms up.
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, { add, addAll }] of Object.entries(SUBJECTS)) {
    count = 0;
    const begun = performance.now();
    const before = process.cpuUsage();
    await Promise.all([addAll(), until(JOBS)]);
    const { user, system } = process.cpuUsage(before);
    const took = performance.now() - begun;
    count = 0;
    const since = performance.now();
    for (let n = 1; n <= SINGLE_JOBS; n += 1) await Promise.all([add({ n }), until(n)]);
    if (round === 0) continue;
    results[name].rates.push((JOBS / took) * 1_000);
    results[name].computed.push((user + system) / JOBS);
    results[name].latencies.push((performance.now() - since) / SINGLE_JOBS);
  }

console.log(describeMachine());
const rows = Object.entries(results).map(([name, { rates, latencies, computed }]) => [
  name,
  median(rates).toFixed(0),
  `${median(latencies).toFixed(2)} ms`,
  `${median(computed).toFixed(0)} µs`,
  `${(median(computed) / median(results.BullMQ.computed)).toFixed(2)} ×`,
]);
console.log(table([['subject', 'jobs/s', 'latency', 'CPU per job', 'BullMQ'], ...rows]));
await Promise.all([worker.close(), bare.close(), app.close()]);
redis.kill();
process.exit();
