/** From an edit in a route file to the completion list in the client file: the CPU time of the language server. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../lib/report.js';
import { CLIENT, SUBJECTS } from './project.js';
import { SERVERS } from './servers.js';
import { answered } from './shapes.js';
import { cpuOf, peakOf } from './spent.js';

/** Each edit adds a member, and it has to be in the list. */
const EDITS = 9;

/** Longer than a tick of the clock by which CPU time is counted. */
const QUIET_MS = 100;

/** A session that takes longer is given up. */
const PATIENCE_MS = 200_000;

/**
 * Milliseconds of CPU: to check the client file of a project just opened; from an edit to the list; the same with all that
 * the server does after that. Memory in MB. Or `late`.
 */
export async function edit(name, root, version) {
  const server = await SERVERS[version](root);
  const { child } = server;
  const exit = once(child, 'exit');
  const late = sleep(PATIENCE_MS, 'late', { ref: false });
  const ended = exit.then(() => {
    throw new Error(`The language server of TypeScript ${version} has ended`);
  });
  ended.catch(() => {});
  try {
    return await Promise.race([session(server, name, root), late, ended]);
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** Resolves when a process has nothing more to do: what an answer left for later is not the next edit's. */
async function settled(pid) {
  for (let before = -1; before !== cpuOf(pid); ) {
    before = cpuOf(pid);
    await sleep(QUIET_MS);
  }
}

async function session({ child, open, change, check, complete }, name, root) {
  const { routeFile, completion } = SUBJECTS[name];
  const route = join(root, routeFile(0));
  const client = join(root, CLIENT);
  const written = readFileSync(route, 'utf8');
  const asked = readFileSync(client, 'utf8').replace('export {};\n', completion);
  const lines = asked.split('\n');
  const place = { line: lines.length, column: lines.at(-1).length + 1 };

  await open(client, `${asked}\nexport {};\n`);
  await check(client);
  const opened = cpuOf(child.pid);
  await complete(client, place);
  await open(route, written);
  await check(route);

  const edits = [];
  const wholes = [];
  await settled(child.pid);
  for (let count = 0; count < EDITS; count += 1) {
    const before = cpuOf(child.pid);
    await change(route, written.replace(answered(0), `fresh${count}: 1, ${answered(0)}`));
    const names = await complete(client, place);
    edits.push(cpuOf(child.pid) - before);
    await settled(child.pid);
    wholes.push(cpuOf(child.pid) - before);
    if (!names.includes(`fresh${count}`))
      throw new Error(
        `${name}: the list does not have what was added; it has ${names.slice(0, 8).join(', ')}`,
      );
  }
  return { opened, edited: median(edits), whole: median(wholes), megabytes: peakOf(child.pid) };
}
