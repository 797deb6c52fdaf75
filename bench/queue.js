/** Jobs per second, and the latency from adding to running a job, compared with BullMQ. Both run in this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { queues } from '@fwkit/queue';
import { Queue, Worker } from 'bullmq';
import { createApp } from 'fwkit';
import { Redis } from 'ioredis';
import { freePort } from './lib/processes.js';
import { describeMachine, median, table } from './lib/report.js';

const ROUNDS = 5;
const JOBS = 5_000;
const SINGLE_JOBS = 300;
/** As in @fwkit/queue. */
const OPTIONS = { attempts: 3, removeOnComplete: { age: 3_600, count: 1_000 } };

const port = Number(await freePort());
const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no']);
await once(redis.stdout, 'data');

let count = 0;
let isDone = () => {};
globalThis.ran = () => {
  count += 1;
  isDone();
};
async function until(expected) {
  while (count < expected) await new Promise((resolve) => (isDone = resolve));
}

const connection = () => new Redis(port, { maxRetriesPerRequest: null });
const bare = new Queue('work', { connection: connection() });
new Worker('work', async () => globalThis.ran(), { connection: connection(), concurrency: 20 });
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

for (const subject of Object.values(SUBJECTS))
  Object.assign(subject, { rates: [], latencies: [], computed: [] });
// The first round warms up.
for (let round = 0; round <= ROUNDS; round += 1)
  for (const { add, addAll, rates, latencies, computed } of Object.values(SUBJECTS)) {
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
    rates.push((JOBS / took) * 1_000);
    computed.push((user + system) / JOBS);
    latencies.push((performance.now() - since) / SINGLE_JOBS);
  }

console.log(describeMachine());
const rows = Object.entries(SUBJECTS).map(([name, { rates, latencies, computed }]) => [
  name,
  median(rates).toFixed(0),
  `${median(latencies).toFixed(2)} ms`,
  `${median(computed).toFixed(0)} µs`,
  `${(median(computed) / median(SUBJECTS.BullMQ.computed)).toFixed(2)} ×`,
]);
console.log(table([['subject', 'jobs/s', 'latency', 'CPU per job', 'BullMQ'], ...rows]));
redis.kill();
process.exit();
