/** From start to first answer: the app of 200 routes against a node:http server that does nothing. See README.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeFwkRoutes } from './lib/fwk-routes.js';
import { freePort } from './lib/processes.js';
import { describeMachine, median, positive, table } from './lib/report.js';
import { SCENARIOS } from './lib/scenarios.js';

const EMPTY = `require('node:http').createServer((_req, res) => res.end()).listen(process.env.PORT, process.env.HOST)`;
const SUBJECTS = [
  { name: 'empty node:http server', args: ['-e', EMPTY], times: [], over: [] },
  { name: 'fwk', args: [join(import.meta.dirname, 'apps/fwk/routes/main.js')], times: [], over: [] },
];
const [request] = SCENARIOS.find(({ name }) => name === 'routes').requests;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '21' } } });
const runs = positive('runs', values.runs);

writeFwkRoutes();
for (let run = -2; run < runs; run += 1) {
  let base;
  for (const { args, times, over } of SUBJECTS) {
    const taken = await firstAnswer(args);
    base ??= taken;
    // The first runs fill the disk's cache.
    if (run < 0) continue;
    times.push(taken);
    over.push(taken - base);
  }
}
console.log(`${describeMachine(['fwkit'])}\n`);
console.log(
  table([
    ['server', '', 'first answer', 'above empty'],
    ...SUBJECTS.map(({ name, times, over }) => [name, '', ms(times), ms(over)]),
  ]),
);
console.log(`\nMedians of ${runs} interleaved runs.`);

function ms(times) {
  return `${median(times).toFixed(1)} ms`;
}

async function firstAnswer(args) {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1' };
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${args.at(-1)} ended with ${child.exitCode}`);
      await sleep(1);
    }
    return performance.now() - start;
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function answers(port) {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(request);
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
