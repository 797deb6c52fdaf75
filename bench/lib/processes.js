import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryOf } from './subjects.js';

const file = (name) => join(import.meta.dirname, '..', name);

/** For `--import`: answers `cpu` and `memory` when asked. */
export const PROBE = file('lib/probe.js');

/** Whether processes can be pinned to a core each. */
export const PINNED = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Run a module of its own on one core. The message channel goes through `taskset`, which becomes Node. */
function forkOn(core, module, execArgv = [], env = {}, stdio = 'inherit') {
  const pin = PINNED
    ? { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...execArgv] }
    : { execArgv };
  return fork(module, {
    ...pin,
    stdio: ['ignore', stdio, 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
}

/** Send a message and wait for the answer. Rejects when the process ends instead. */
export async function ask(child, message) {
  const ended = new AbortController();
  const { signal } = ended;
  child.send(message);
  const exit = once(child, 'exit', { signal }).then(() => {
    throw new Error(`${child.spawnargs.at(-1)} has ended`);
  });
  exit.catch(() => {});
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), exit]);
    return answer;
  } finally {
    ended.abort();
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Start `app` of a subject on core 0; what it logs to stdout goes to /dev/null. Resolves when it listens. */
export async function startServer(subject, app, execArgv = []) {
  const port = await freePort();
  const env = { SUBJECT: subject, APP: app, PORT: String(port), HOST: '127.0.0.1' };
  const child = forkOn(0, entryOf(subject, app), ['--import', PROBE, ...execArgv], env, 'ignore');
  const deadline = Date.now() + 20_000;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${subject} (${app}) does not start`);
    await sleep(20);
  }
  return { subject, port, child };
}

/** The client, on core 1. */
export const startClient = () => forkOn(1, file('lib/client.js'));

/** End processes and wait until they are gone. */
export async function stop(children) {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    }),
  );
}

async function isListening(port) {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
