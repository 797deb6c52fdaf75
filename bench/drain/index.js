/**
 * Sends SIGTERM under load from keep-alive clients, and reports the number of lost requests and the exit code. Server
 * and clients are separate processes; each run starts a new server, and subjects alternate.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chosen, positive } from '../lib/options.js';
import { freePort } from '../lib/processes.js';
import { describeMachine, median, table } from '../lib/report.js';
import { nodeOf } from '../reload/nodes.js';

const CONNECTIONS = '64';
/** Milliseconds of load before the signal. */
const LOAD = 500;

const file = (name) => join(import.meta.dirname, name);
/** A copy of the small app, because `fwk dev` writes into the project. */
const SMALL = file('../.generated/small');
rmSync(SMALL, { recursive: true, force: true });
cpSync(file('../fwk/small'), SMALL, { recursive: true });
/** Arguments for Node, by subject. */
const SUBJECTS = {
  fwk: () => [join(SMALL, 'main.js')],
  'fwk, 2 workers': () => [file('workers.js')],
  'fwk dev': (port) => [
    file('../../cli/fwk.js'),
    'dev',
    '--dir',
    SMALL,
    '--host',
    '127.0.0.1',
    '--port',
    port,
  ],
  fastify: () => [file('fastify.js')],
};

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: ['20', '22', '24', '26'] },
    subject: { type: 'string', multiple: true },
    runs: { type: 'string', default: '10' },
    pause: { type: 'string', default: '20' },
    fresh: { type: 'boolean', default: false },
    // For deploy.js.
    connections: { type: 'string' },
    reloads: { type: 'string' },
  },
});
const runs = positive('runs', values.runs);
const subjects = chosen('subject', values.subject, Object.keys(SUBJECTS), (name) => name);
const HEAD = [
  'Node',
  '',
  'answered',
  'with 503',
  'lost, reused',
  'lost, new',
  'runs with loss',
  'exit code',
  'ms to exit',
];
const rows = [HEAD];
for (const major of values.node) {
  const results = new Map(subjects.map((subject) => [subject, []]));
  for (let run = 1; run <= runs; run += 1)
    for (const [subject, list] of results) {
      process.stderr.write(`Node ${major}, ${run}/${runs}\r`);
      list.push(await drained(nodeOf(major), SUBJECTS[subject]));
    }
  for (const [subject, list] of results) rows.push([major, subject, ...summarize(list)]);
}
console.log(`${describeMachine(['fwkit', 'fastify']).replace(/, server and client .*/, '')}\n`);
console.log(table(rows, 2));
if (values.subject === undefined) await import('./deploy.js');

function summarize(list) {
  const sum = (key) => String(list.reduce((total, one) => total + one[key], 0));
  const lossy = list.filter(({ lostKept, lostNew }) => lostKept + lostNew > 0).length;
  const statuses = [...new Set(list.map(({ status }) => status))].join(', ');
  return [
    ...['answered', 'refused', 'lostKept', 'lostNew'].map(sum),
    `${lossy}/${list.length}`,
    statuses,
    median(list.map(({ took }) => took)).toFixed(0),
  ];
}

/** Runs one server from start to exit. */
async function drained(node, args) {
  const port = String(await freePort());
  const server = spawn(node, args(port), {
    env: { ...process.env, NODE_ENV: 'production', PORT: port, HOST: '127.0.0.1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const end = once(server, 'close');
  await listening(port);
  const client = fork(file('client.js'), {
    env: { ...process.env, PORT: port, PAUSE: values.pause, FRESH: values.fresh ? '1' : '', CONNECTIONS },
  });
  await once(client, 'message');
  await sleep(LOAD);
  const begun = performance.now();
  const counted = once(client, 'message');
  server.kill('SIGTERM');
  const [code, signal] = await end;
  const took = performance.now() - begun;
  const [count] = await counted;
  return { ...count, status: code ?? signal, took };
}

async function listening(port) {
  const fetchHello = () => fetch(`http://127.0.0.1:${port}/api/hello`, { headers: { connection: 'close' } });
  for (const until = Date.now() + 20_000; Date.now() < until; await sleep(20)) {
    const isListening = await fetchHello().then(
      (response) => response.text(),
      () => undefined,
    );
    if (isListening) return;
  }
  throw new Error(`No server listens on port ${port}`);
}
