/**
 * Requests per second of a CPU-bound app by the number of workers, each as a ratio to a single process. Client and
 * servers share the cores, so a request does much more work in the server than in the client, and the output includes
 * the client's share. On a busy machine, the CPU time per request still shows the cost of workers. Linux only, because
 * it reads /proc.
 */
import { fork } from 'node:child_process';
import { scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from 'fwkit';
import { definePlugin, Stage } from 'fwkit/plugin';
import { positive } from './lib/options.js';
import { freePort } from './lib/processes.js';
import { describeMachine, median, table } from './lib/report.js';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 32;
const ALONE = 'alone';

if (process.env.BENCH_WORKERS) await serve(process.env.BENCH_WORKERS);
else await measure();

/** The small app, with some milliseconds of work before each response. */
async function serve(workers) {
  const work = definePlugin({
    name: 'work',
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'work', stage: Stage.wrap }, async (routes) =>
        routes.map((route) => ({ ...route, handler: computing(route.handler) })),
      );
    },
  });
  const dir = join(import.meta.dirname, 'fwk/small');
  const options = workers === ALONE ? {} : { workers: Number(workers) };
  await bootstrap({ dir, plugins: [work], ...options });
  process.send?.('listening');
}

function computing(handler) {
  return (...args) => {
    scryptSync('secret', 'salt', 32, { N: 1024 });
    return handler(...args);
  };
}

async function measure() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      workers: { type: 'string', multiple: true, default: ['1', '2'] },
    },
  });
  const rounds = positive('rounds', values.rounds);
  const seconds = positive('seconds', values.seconds);
  for (const workers of values.workers) positive('workers', workers);
  const servers = await Promise.all([ALONE, ...values.workers].map(start));
  const results = servers.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, server] of servers.entries()) {
      const before = cpuOf(server.child.pid);
      const result = await load(server.port, seconds);
      result.cpu = (cpuOf(server.child.pid) - before) / result.done;
      result.busy = (result.cpu * result.rate) / 1000;
      // The first round is a warm-up.
      if (round >= 0) results[index].push(result);
    }
    process.stderr.write(`${round + 1}/${rounds}\r`);
  }
  for (const { child } of servers) child.kill();

  console.log(`${describeMachine(['fwkit'])}\n`);
  const rows = servers.map(({ workers }, index) => [
    workers === ALONE ? 'one process, no workers' : `workers: ${workers}`,
    '',
    median(results[index].map(({ rate }) => rate)).toFixed(0),
    median(results[index].map(({ rate }, round) => rate / results[0][round].rate)).toFixed(2),
    `${median(results[index].map(({ cpu }) => cpu)).toFixed(2)} ms`,
    median(results[index].map(({ busy }) => busy)).toFixed(2),
    `${(median(results[index].map(({ client }) => client)) * 100).toFixed(0)} %`,
  ]);
  console.log(table([['', '', 'requests/s', '× alone', 'CPU/request', 'cores used', 'client CPU'], ...rows]));
  console.log(
    `\n${rounds} interleaved rounds of ${seconds} s, ${CONNECTIONS} connections. Processes are not pinned.`,
  );
}

async function start(workers) {
  const port = await freePort();
  const env = { NODE_ENV: 'production', BENCH_WORKERS: workers, PORT: String(port), HOST: '127.0.0.1' };
  const child = fork(SELF, { env: { ...process.env, ...env } });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error(`The server with workers: ${workers} did not start`)),
    ),
  ]);
  return { workers, port, child };
}

async function load(port, seconds) {
  const agent = new Agent({ keepAlive: true });
  const begun = performance.now();
  const before = process.cpuUsage();
  let done = 0;
  const sendRequest = async () => {
    while (performance.now() - begun < seconds * 1000) {
      await answer(port, agent);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendRequest));
  const elapsed = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  agent.destroy();
  return { done, rate: (done / elapsed) * 1000, client: (user + system) / 1000 / elapsed };
}

function answer(port, agent) {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: '/api/hello', agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`responded with ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    request.on('error', reject);
  });
}

/** Returns the CPU time of a process and its children in milliseconds. The kernel counts in hundredths of a second. */
function cpuOf(pid) {
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return children.reduce((sum, child) => sum + cpuOf(child), (Number(user) + Number(system)) * 10);
}
