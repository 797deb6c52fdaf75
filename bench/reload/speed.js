/**
 * Measures the time from a save to the served change: `fwk dev`, `node --watch` and `tsx watch`, under load. See
 * ../README.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chosen, positive } from '../lib/options.js';
import { freePort } from '../lib/processes.js';
import { describeMachine, median, quantile, table } from '../lib/report.js';
import { machine, save } from '../lib/results.js';
import { waitForResponse } from './http-get.js';
import { LEAF, PATHS, Project, ROUTES } from './project.js';
import { SUBJECTS, startSubject } from './subjects.js';

const PACKAGES = ['fwkit', 'tsx'];
/** Milliseconds between a response with the new text and the next save. */
const PAUSE = 300;

const ms = (number) => `${number.toFixed(number < 100 ? 1 : 0)} ms`;
const share = (count, { sent }) => `${count} of ${sent} (${((100 * count) / sent).toFixed(1)} %)`;
/** A row of the table: its name, the figure of a subject, and fwk's target. */
const LINES = [
  ['start to first response', ({ start }) => ms(start), '≤ 600 ms'],
  ['leaf edit: median', ({ leaf }) => ms(leaf.median), '≤ 15 ms'],
  ['leaf edit: p95', ({ leaf }) => ms(leaf.p95), ''],
  ['shared edit: median', ({ shared }) => ms(shared.median), '≤ 25 ms'],
  ['shared edit: p95', ({ shared }) => ms(shared.p95), ''],
  ['requests refused', ({ requests }) => share(requests.refused, requests), '0'],
  ['requests failed otherwise', ({ requests }) => share(requests.failed, requests), '0'],
  ['longest request', ({ requests }) => ms(requests.longest), ''],
];

const { values } = parseArgs({
  options: {
    edits: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    starts: { type: 'string', default: '5' },
    subject: { type: 'string', multiple: true },
  },
});
const edits = positive('edits', values.edits);
const rate = positive('rate', values.rate);
const starts = positive('starts', values.starts);
const subjects = chosen('subject', values.subject, Object.keys(SUBJECTS), (name) => name);

const home = mkdtempSync(join(tmpdir(), 'fwk-bench-'));
try {
  const results = [];
  for (const name of subjects) results.push(await measure(name));
  const head = ['', ...results.map(({ name }) => name), 'target for fwk'];
  const rows = LINES.map(([label, read, target]) => [label, ...results.map(read), target]);
  console.log(`${describeMachine(PACKAGES)}\n\n${table([head, ...rows])}`);
  console.log(`\n${ROUTES} routes, ${rate} requests/s, ${edits} edits, median of ${starts} starts.`);
  console.log(save('reload', { ...machine(PACKAGES), edits, rate, starts, results }));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Measures one column of the table; times are in milliseconds. */
async function measure(key) {
  const subject = SUBJECTS[key];
  const project = new Project(join(home, key), subject.language);
  const begun = [];
  for (let run = 1; run < starts; run += 1) {
    const { server, taken } = await start(subject, project);
    begun.push(taken);
    await server.stop();
  }
  const { server, taken, port } = await start(subject, project);
  begun.push(taken);
  try {
    // The load requests each route once before the first edit.
    const load = fork(join(import.meta.dirname, 'load.js'));
    load.send({ port, rate });
    await sleep((PATHS.length / rate) * 1000);
    const times = { leaf: [], shared: [] };
    for (let version = 1; version <= edits; version += 1) {
      const { kind, saved } = project.edit(version);
      times[kind].push(await waitForResponse(port, LEAF, (body) => body[kind] === version, saved));
      await sleep(PAUSE);
    }
    load.send({ stop: true });
    const [requests] = await once(load, 'message');
    load.disconnect();
    const { leaf, shared } = times;
    return { name: subject.name, start: median(begun), leaf: both(leaf), shared: both(shared), requests };
  } finally {
    await server.stop();
  }
}

function both(times) {
  return { median: median(times), p95: quantile(times, 0.95) };
}

async function start(subject, project) {
  const port = await freePort();
  const begun = performance.now();
  const server = startSubject(subject, project, port);
  return { server, port, taken: await waitForResponse(port, LEAF, () => true, begun) };
}
