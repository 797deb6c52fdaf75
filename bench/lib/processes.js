import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryOf } from './subjects.js';

const file = (name) => join(import.meta.dirname, '..', name);

/** For `--import`: answers the messages `cpu` and `memory`. */
export const PROBE = file('lib/probe.js');

/** Whether each process can be pinned to a core. */
export const PINNED = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/**
 * Runs a module as a process on one core. The message channel passes through `taskset`, which replaces itself with
 * Node.
 */
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

/** Sends a message and waits for the reply. Rejects if the process exits. */
export async function query(child, message) {
  const ended = new AbortController();
  const { signal } = ended;
  child.send(message);
  const exit = once(child, 'exit', { signal }).then(() => {
    throw new Error(`${child.spawnargs.at(-1)} has exited`);
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

/** Starts `app` of a subject on core 0; its stdout goes to /dev/null. Resolves when the server listens. */
export async function startServer(subject, app, execArgv = []) {
  const port = await freePort();
  const env = { SUBJECT: subject, APP: app, PORT: String(port), HOST: '127.0.0.1' };
  const child = forkOn(0, entryOf(subject, app), ['--import', PROBE, ...execArgv], env, 'ignore');
  const deadline = Date.now() + 20_000;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${subject} (${app}) did not start`);
    await sleep(20);
  }
  return { subject, port, child };
}

/** Starts the client on core 1. */
export const startClient = () => forkOn(1, file('lib/client.js'));

/** Stops processes and waits until they have exited. */
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
