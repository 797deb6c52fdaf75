/** Measures the language server's CPU time from an edit in a route file to the completion list in the client file. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../lib/report.js';
import { CLIENT, SUBJECTS } from './project.js';
import { SERVERS } from './servers.js';
import { answered } from './shapes.js';
import { cpuOf, peakOf } from './usage.js';

/** Each edit adds a member, which the completion list has to contain. */
const EDITS = 9;

/** Longer than one tick of the clock that counts CPU time. */
const QUIET_MS = 100;

/** Milliseconds after which a session is aborted. */
const TIMEOUT_MS = 200_000;

/**
 * Returns milliseconds of CPU time: to check the client file of a project that was just opened; from an edit to the
 * list; and from an edit until the server is idle again. Memory is in MB. If a session takes too long, returns `late`.
 */
export async function edit(name, root, version) {
  const server = await SERVERS[version](root);
  const { child } = server;
  const exit = once(child, 'exit');
  const late = sleep(TIMEOUT_MS, 'late', { ref: false });
  const ended = exit.then(() => {
    throw new Error(`The language server of TypeScript ${version} exited`);
  });
  ended.catch(() => {});
  try {
    return await Promise.race([session(server, name, root), late, ended]);
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** Resolves when a process is idle: work that the server postponed after a response doesn't count for the next edit. */
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
  const withCompletion = readFileSync(client, 'utf8').replace('export {};\n', completion);
  const lines = withCompletion.split('\n');
  const place = { line: lines.length, column: lines.at(-1).length + 1 };

  await open(client, `${withCompletion}\nexport {};\n`);
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
        `${name}: the completion list lacks the added member; it contains ${names.slice(0, 8).join(', ')}`,
      );
  }
  return { opened, edited: median(edits), whole: median(wholes), megabytes: peakOf(child.pid) };
}
