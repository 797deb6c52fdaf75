/** Memory of `fwk dev` over many reloads, per version of Node. See README.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { untilAnswered } from './ask.js';
import { nodeOf } from './nodes.js';
import { LEAF, Project, ROUTES } from './project.js';
import { freePort, machine, table } from './report.js';

/** Megabytes that the resident set may grow by between the first figure and the last. */
const TARGET = 60;

const { values } = parseArgs({
  options: {
    reloads: { type: 'string', default: '1000' },
    every: { type: 'string', default: '100' },
    node: { type: 'string', multiple: true, default: ['20', '24'] },
  },
});
const [reloads, every] = [Number(values.reloads), Number(values.every)];

const home = mkdtempSync(join(tmpdir(), 'fwk-bench-'));
try {
  const columns = [];
  for (const major of values.node) columns.push(await measure(major));
  const rows = columns[0].figures.map(({ after }, row) => [
    String(after),
    ...columns.flatMap(({ figures }) => [megabytes(figures[row].rss), megabytes(figures[row].heap)]),
  ]);
  const growth = columns.flatMap(({ figures }) => [grown(figures, 'rss'), grown(figures, 'heap')]);
  const head = ['reloads', ...columns.flatMap(({ name }) => [`${name} RSS`, 'heap'])];
  console.log(`${machine(['fwkit'])}\n\n${table([head, ...rows, ['growth', ...growth]])}`);
  console.log(
    `\nMegabytes after a full collection. ${ROUTES} routes; the resident set may grow by ${TARGET}.`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measure(major) {
  const project = new Project(join(home, major), 'ts');
  const port = await freePort();
  const args = [join(import.meta.dirname, '../../cli/fwk.js'), 'dev', '--dir', project.root];
  const child = spawn(nodeOf(major), [...args, '--host', '127.0.0.1', '--port', String(port)], {
    env: { ...process.env, NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.js')}` },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // It tells its address when it watches.
  await once(child.stdout, 'data');
  child.stdout.resume();
  process.once('exit', () => child.kill('SIGKILL'));
  const figures = [];
  const look = async (after) => {
    child.send('memory');
    const [{ rss, heap }] = await once(child, 'message');
    figures.push({ after, rss, heap });
    console.error(
      `Node ${major}: ${after} reloads, ${megabytes(rss)} MB resident, ${megabytes(heap)} MB heap`,
    );
  };
  await untilAnswered(port, LEAF, () => true, performance.now());
  await look(0);
  for (let version = 1; version <= reloads; version += 1) {
    const kind = version % 2 === 1 ? 'leaf' : 'shared';
    if (kind === 'leaf') project.editLeaf(version);
    else project.editShared(version);
    await untilAnswered(port, LEAF, (body) => body[kind] === version, performance.now());
    if (version % every === 0) await look(version);
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { name: `Node ${major}`, figures };
}

function megabytes(bytes) {
  return (bytes / 2 ** 20).toFixed(1);
}

function grown(figures, what) {
  return megabytes(figures.at(-1)[what] - figures[0][what]);
}
