/** Measures the memory of `fwk dev` over many reloads, per version of Node. See ../README.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { positive } from '../lib/options.js';
import { freePort, PROBE, query } from '../lib/processes.js';
import { describeMachine, table } from '../lib/report.js';
import { machine, save } from '../lib/results.js';
import { waitForResponse } from './http-get.js';
import { nodeOf } from './nodes.js';
import { LEAF, Project, ROUTES } from './project.js';

/** The megabytes by which the resident set may grow between the first and the last figure. */
const TARGET = 20;
/**
 * Seconds without an edit before the last figure: V8 returns unused memory to the system after 8 s on Node 20, and
 * after 30 s on Node 26.
 */
const REST = 35;

const { values } = parseArgs({
  options: {
    reloads: { type: 'string', default: '1000' },
    every: { type: 'string', default: '100' },
    node: { type: 'string', multiple: true, default: ['20', '24'] },
  },
});
const reloads = positive('reloads', values.reloads);
const every = positive('every', values.every);

const home = mkdtempSync(join(tmpdir(), 'fwk-bench-'));
try {
  const results = [];
  for (const major of values.node) results.push(await measure(major));
  const rows = results[0].figures.map(({ after }, row) => [
    String(after),
    ...results.flatMap(({ figures }) => [megabytes(figures[row].rss), megabytes(figures[row].heap)]),
  ]);
  const growth = results.flatMap(({ figures }) => [grown(figures, 'rss'), grown(figures, 'heap')]);
  const head = ['reloads', ...results.flatMap(({ name }) => [`${name} RSS`, 'heap'])];
  console.log(`${describeMachine(['fwkit'])}\n\n${table([head, ...rows, ['growth', ...growth]])}`);
  console.log(
    `\nMegabytes after full garbage collections; the last row after ${REST} s without an edit. ${ROUTES} routes. Target: the resident set grows by at most ${TARGET} MB.`,
  );
  console.log(save('memory', { ...machine(['fwkit']), results }));
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measure(major) {
  const project = new Project(join(home, major), 'ts');
  const port = await freePort();
  const args = [join(import.meta.dirname, '../../cli/fwk.js'), 'dev', '--dir', project.root];
  const child = spawn(nodeOf(major), [...args, '--host', '127.0.0.1', '--port', String(port)], {
    env: { ...process.env, NODE_OPTIONS: `--import ${PROBE}` },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // fwk prints its address as soon as it watches the files.
  await once(child.stdout, 'data');
  child.stdout.resume();
  process.once('exit', () => child.kill('SIGKILL'));
  const figures = [];
  const look = async (after) => {
    const { rss, heap } = await query(child, 'memory');
    figures.push({ after, rss, heap });
    console.error(
      `Node ${major}: ${after} reloads, ${megabytes(rss)} MB resident, ${megabytes(heap)} MB heap`,
    );
  };
  await waitForResponse(port, LEAF, () => true, performance.now());
  await look(0);
  for (let version = 1; version <= reloads; version += 1) {
    const { kind, saved } = project.edit(version);
    await waitForResponse(port, LEAF, (body) => body[kind] === version, saved);
    if (version === reloads) await sleep(REST * 1000);
    if (version === reloads || version % every === 0) await look(version);
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { name: `Node ${major}`, figures };
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

function grown(figures, what) {
  return megabytes(figures.at(-1)[what] - figures[0][what]);
}
