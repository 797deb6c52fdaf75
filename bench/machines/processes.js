import { fork, spawnSync } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, PINNED, PROBE, query } from '../lib/processes.js';

const SUBJECTS = join(import.meta.dirname, 'subjects');
const FWK = join(import.meta.dirname, '../fwk/machines');
const SECRET = 's'.repeat(40);

/**
 * Starts a process of a subject, pinned to `core`: a file in subjects/, or fwk with an engine. Resolves when it
 * listens.
 */
export async function startProcess(name, core, servers) {
  const port = await freePort();
  const [file, cwd] = name.startsWith('fwk')
    ? [join(FWK, 'main.js'), FWK]
    : [join(SUBJECTS, `${name}.js`), SUBJECTS];
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    FWK_SECRET: SECRET,
    REDIS_URL: servers.redis.url,
    POSTGRES_URL: name === 'fwk over postgres' ? servers.postgres.url() : '',
    LOG_LEVEL: 'warn',
  };
  const nodeArgs = ['--import', PROBE];
  const pin = PINNED
    ? { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...nodeArgs] }
    : { execArgv: nodeArgs };
  const child = fork(file, { ...pin, cwd, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  for (const until = Date.now() + 20_000; !(await listens(port)); await sleep(20))
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${name} did not start`);
  return { name, port, child };
}

/** Pins this process, which creates the load, to these cores. */
export function runOn(cores) {
  if (PINNED) spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)]);
}

/** Returns the CPU time of processes in microseconds. */
export async function cpuOf(processes) {
  const all = await Promise.all(processes.map(({ child }) => query(child, 'cpu')));
  return all.reduce((sum, { user, system }) => sum + user + system, 0);
}

function listens(port) {
  const socket = createConnection(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
