/**
 * Sends twice as many requests as a process can answer, at a constant rate, and reports the latency of the accepted requests. The
 * server and this client are separate processes; each run starts a new server, and subjects alternate.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chosen, positive } from '../lib/options.js';
import { freePort } from '../lib/processes.js';
import { describeMachine, median, quantile, table } from '../lib/report.js';

const file = (name) => join(import.meta.dirname, name);
const FWK = file('../fwk/overload/main.js');
const FASTIFY = file('fastify.js');
/** The longest delay of the event loop, in milliseconds. */
const MAX_DELAY = 200;
const SUBJECTS = {
  fwk: [FWK, MAX_DELAY],
  'fastify, under-pressure': [FASTIFY, MAX_DELAY],
  'fwk, no limit': [FWK, 0],
  'fastify, no limit': [FASTIFY, 0],
};
/** The milliseconds before a run is measured, in which the servers notice the overload. */
const WARM_UP = 3_000;

const { values } = parseArgs({
  options: {
    subject: { type: 'string', multiple: true },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
  },
});
const runs = positive('runs', values.runs);
const seconds = positive('seconds', values.seconds);

const results = new Map(
  chosen('subject', values.subject, Object.keys(SUBJECTS), (name) => name).map((name) => [name, []]),
);
for (let run = 1; run <= runs; run += 1)
  for (const [name, list] of results) {
    process.stderr.write(`${run}/${runs} ${name}\u001b[K\r`);
    list.push(await overloaded(...SUBJECTS[name]));
  }
const rows = [
  [
    '',
    'capacity/s',
    'sent/s',
    'accepted/s',
    'rejected/s',
    'unanswered/s',
    'p50 ms',
    'p99 ms',
    'health check ms',
  ],
];
for (const [name, list] of results) {
  const middle = (key) => String(Math.round(median(list.map((one) => one[key]))));
  rows.push([
    name,
    ...['capacity', 'sent', 'accepted', 'rejected', 'lost', 'p50', 'p99', 'probe'].map(middle),
  ]);
}
console.log(`${describeMachine(['fwkit', 'fastify', '@fastify/under-pressure'])}\n`);
console.log(table(rows));

async function overloaded(entry, maxDelay) {
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    HOST: '127.0.0.1',
    MAX_DELAY: maxDelay,
  };
  const server = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const agent = new Agent({ keepAlive: true });
  const ask = (path = '/api/work') =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      get({ host: '127.0.0.1', port, path, agent }, (response) => {
        response.resume().once('end', () => resolve([response.statusCode, performance.now() - began]));
      }).once('error', reject);
    });
  while (!(await ask().catch(() => undefined))) await sleep(20);
  const capacity = await capacityOf(ask);
  const answers = [];
  let measured = 0;
  const probes = [];
  const interval = 1_000 / (2 * capacity);
  const began = performance.now();
  const until = began + WARM_UP + seconds * 1_000;
  let sent = 0;
  for (let now = began; now < until; now = performance.now()) {
    for (; began + sent * interval <= now; sent += 1) {
      const isMeasured = now - began >= WARM_UP;
      if (isMeasured && sent % 100 !== 0) measured += 1;
      const list = sent % 100 === 0 ? probes : answers;
      ask(sent % 100 === 0 ? '/healthz' : undefined).then(
        (answer) => isMeasured && list.push(answer),
        () => {},
      );
    }
    await sleep(1);
  }
  // Requests that take longer than this count as unanswered.
  await sleep(2_000);
  server.kill('SIGKILL');
  await once(server, 'exit');
  agent.destroy();
  const accepted = answers.filter(([status]) => status === 200).map(([, ms]) => ms);
  return {
    capacity,
    sent: 1_000 / interval,
    accepted: accepted.length / seconds,
    rejected: (answers.length - accepted.length) / seconds,
    lost: (measured - answers.length) / seconds,
    p50: median(accepted),
    p99: quantile(accepted, 0.99),
    probe: quantile(
      probes.map(([, ms]) => ms),
      0.99,
    ),
  };
}

/** Requests per second with eight clients that wait for each response. */
async function capacityOf(ask) {
  const began = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (; performance.now() < began + 2_000; count += 1) await ask();
    }),
  );
  return (count * 1_000) / (performance.now() - began);
}
