import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const file = (name) => join(import.meta.dirname, '..', name);

/** Whether processes can be pinned to a core each. */
export const PINNED = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Fork a module of the bench on one core. */
function forkOn(core, name, execArgv = [], env = {}) {
  const child = fork(file(name), { execArgv, env: { ...process.env, NODE_ENV: 'production', ...env } });
  if (PINNED) {
    const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', String(core), String(child.pid)]);
    if (status !== 0) throw new Error(`taskset failed: ${stderr}`);
  }
  return child;
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

const ENTRIES = {
  raw: () => 'apps/raw.js',
  fastify: () => 'apps/fastify.js',
  fwk: (app) => `apps/fwk/${app}/main.js`,
};

export const SUBJECTS = Object.keys(ENTRIES);

/** Start a subject on core 0. Resolves when it listens. */
export async function startServer(subject, app) {
  const port = await freePort();
  const env = { APP: app, PORT: String(port), HOST: '127.0.0.1' };
  const child = forkOn(0, ENTRIES[subject](app), ['--import', file('lib/probe.js')], env);
  await listening(child, port, `${subject} (${app})`);
  return { subject, port, child };
}

async function listening(child, port, name) {
  const deadline = Date.now() + 20_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} does not start`);
    await sleep(20);
  }
}

/** Start one server of the MCP bench on core 0. */
export async function startMcpServer({ entry, env }) {
  const port = await freePort();
  const child = forkOn(0, entry, ['--import', file('lib/probe.js')], {
    ...env,
    PORT: String(port),
    HOST: '127.0.0.1',
  });
  await listening(child, port, entry);
  return { port, child };
}

export const startMcpClient = () => forkOn(1, 'lib/mcp-client.js');

/** The client, on core 1. */
export const startClient = () => forkOn(1, 'lib/client.js');

async function answers(port) {
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
