/**
 * Measures the time from start to first response: built apps and other frameworks against `node:http` servers that do
 * nothing. See README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildProject, resourceAt } from './lib/fwk-project.js';
import { positive } from './lib/options.js';
import { freePort } from './lib/processes.js';
import { describeMachine, median, quartiles, table } from './lib/report.js';
import { request } from './lib/request.js';
import { machine, save } from './lib/results.js';
import { entryOf, subjectsOf } from './lib/subjects.js';
import { GROUPS } from './scenarios/index.js';

const EMPTY = `require('node:http').createServer((_req, res) => res.end()).listen(process.env.PORT, process.env.HOST)`;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '21' } } });
const runs = positive('runs', values.runs);

const subject = (name, args, env = {}) => ({ name, args, env, times: [] });
const { packages } = GROUPS.http;
const peers = subjectsOf({}).filter((name) => name !== 'fwk');
const subjects = [
  subject('empty node:http server', ['-e', EMPTY]),
  subject('empty server, ES module', [join(import.meta.dirname, 'lib/empty.js')]),
  subject('fwk, 1 route', [buildProject(1)]),
  subject('fwk, 200 routes', [entryOf('fwk', 'routes')]),
  ...peers.map((name) =>
    subject(`${name}, 200 routes`, [entryOf(name, 'routes')], { SUBJECT: name, APP: 'routes' }),
  ),
];
const first = request('GET', `/api/v1/${resourceAt(0)}`);

// The first runs fill the disk cache.
for (let run = -2; run < runs; run += 1) {
  for (const { args, env, times } of subjects) {
    const taken = await firstAnswer(args, env);
    if (run >= 0) times.push(taken);
  }
}
const [script, module] = subjects;
/** The median of the ratios of each run. */
const ratio = ({ times }, { times: others }) => median(times.map((time, run) => time / others[run]));
const ms = (times) => `${median(times).toFixed(1)} ms`;
const spread = (times) =>
  quartiles(times)
    .map((time) => time.toFixed(1))
    .join('–');
console.log(`${describeMachine(packages)}\n`);
console.log(
  table([
    ['server', 'first response', 'quartiles', '× empty script', '× empty ES module'],
    ...subjects.map((one) => [
      one.name,
      ms(one.times),
      spread(one.times),
      ratio(one, script).toFixed(2),
      ratio(one, module).toFixed(2),
    ]),
  ]),
);
console.log(`\nMedians of ${runs} interleaved runs, and of each run's own ratios.`);
const results = subjects.map((one) => ({
  name: one.name,
  ms: median(one.times),
  ofScript: ratio(one, script),
  ofModule: ratio(one, module),
}));
console.log(save('start', { ...machine(packages), runs, results }));

async function firstAnswer(args, more) {
  const port = await freePort();
  const env = { ...process.env, ...more, NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1' };
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${args.at(-1)} exited with ${child.exitCode}`);
      await sleep(1);
    }
    return performance.now() - start;
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function answers(port) {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(first);
    const [bytes] = await once(socket, 'data');
    if (!bytes.latin1Slice().startsWith('HTTP/1.1 200'))
      throw new Error(`The first response is ${bytes.latin1Slice()}`);
    return true;
  } catch (failure) {
    if (failure.code === undefined) throw failure;
    return false;
  } finally {
    socket.destroy();
  }
}
