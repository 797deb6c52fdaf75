/** From save to served, side by side: `fwk dev`, `node --watch` and `tsx watch`, under load. See README.md. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { untilAnswered } from './ask.js';
import { LEAF, PATHS, Project, ROUTES } from './project.js';
import { freePort, machine, percentile, table } from './report.js';
import { SUBJECTS, startSubject } from './subjects.js';

/** Milliseconds between an answer with the new text and the next save. */
const PAUSE = 300;
const TARGETS = ['target for fwk', '≤ 600 ms', '≤ 15 ms', '', '≤ 25 ms', '', '0', '0', ''];

const { values } = parseArgs({
  options: {
    edits: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    starts: { type: 'string', default: '5' },
    subject: { type: 'string', multiple: true, default: Object.keys(SUBJECTS) },
  },
});
const [edits, rate, starts] = [Number(values.edits), Number(values.rate), Number(values.starts)];
const unknown = values.subject.find((name) => !SUBJECTS[name]);
if (unknown) throw new Error(`--subject takes ${Object.keys(SUBJECTS).join(', ')}, not "${unknown}".`);

const home = mkdtempSync(join(tmpdir(), 'fwk-bench-'));
try {
  const columns = [];
  for (const name of values.subject) columns.push(await measure(name));
  const rows = [
    ['', ...columns.map(([subject]) => subject), TARGETS[0]],
    ...LABELS().map((label, row) => [label, ...columns.map((column) => column[row + 1]), TARGETS[row + 1]]),
  ];
  console.log(`${machine(['fwkit', 'tsx'])}\n\n${table(rows)}`);
  console.log(`\n${ROUTES} routes, ${rate} requests/s, ${edits} edits, median of ${starts} starts.`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function LABELS() {
  return [
    'start to first answer',
    'leaf edit: median',
    'leaf edit: p95',
    'shared edit: median',
    'shared edit: p95',
    'requests refused',
    'requests failed otherwise',
    'longest request',
  ];
}

/** One column of the table. */
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
    // The load asks for each route once before anything is edited.
    const load = fork(join(import.meta.dirname, 'load.js'));
    load.send({ port, rate });
    await sleep((PATHS.length / rate) * 1000);
    const times = { leaf: [], shared: [] };
    for (let version = 1; version <= edits; version += 1) {
      const kind = version % 2 === 1 ? 'leaf' : 'shared';
      const save = performance.now();
      if (kind === 'leaf') project.editLeaf(version);
      else project.editShared(version);
      times[kind].push(await untilAnswered(port, LEAF, (body) => body[kind] === version, save));
      await sleep(PAUSE);
    }
    load.send({ stop: true });
    const [tally] = await once(load, 'message');
    load.disconnect();
    return column(subject.name, begun, times, tally);
  } finally {
    await server.stop();
  }
}

async function start(subject, project) {
  const port = await freePort();
  const begun = performance.now();
  const server = startSubject(subject, project, port);
  return { server, port, taken: await untilAnswered(port, LEAF, () => true, begun) };
}

function column(name, begun, { leaf, shared }, { sent, refused, failed, longest }) {
  const ms = (number) => `${number.toFixed(number < 100 ? 1 : 0)} ms`;
  const share = (count) => `${count} of ${sent} (${((100 * count) / sent).toFixed(1)} %)`;
  return [
    name,
    ms(percentile(begun, 50)),
    ms(percentile(leaf, 50)),
    ms(percentile(leaf, 95)),
    ms(percentile(shared, 50)),
    ms(percentile(shared, 95)),
    share(refused),
    share(failed),
    ms(longest),
  ];
}
