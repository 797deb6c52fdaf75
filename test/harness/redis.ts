import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import { atExit } from './cleanup.js';
import { freePort } from './free-port.js';
import { Output } from './output.js';

const PROGRAM = process.env.REDIS_SERVER ?? 'redis-server';

/** Tests that need Redis; without it, one skipped test that gives the reason. REDIS_SERVER names another program. */
export function withRedis(tests: { run(): void }): { run(): void } {
  if (spawnSync(PROGRAM, ['--version']).status === 0) return tests;
  const none = suite('redis');
  none.skip(`${PROGRAM} is not installed: apt-get install redis-server`);
  return none;
}

/** A Redis server of a test, without persistence. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** End it in order. */
  stop(): Promise<void>;
  /** Suspends the process with all its connections (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Start it again, empty, at the same port. */
  restart(): Promise<void>;
}

/** Make `to` the primary and `from` its replica. The connections of both stay open. */
export function failOver(from: RedisServer, to: RedisServer): void {
  const cli = (server: RedisServer, ...args: readonly string[]): void =>
    void execFileSync('redis-cli', ['-p', String(server.port), ...args]);
  cli(to, 'REPLICAOF', 'NO', 'ONE');
  cli(from, 'REPLICAOF', '127.0.0.1', String(to.port));
}

/** Start a Redis on a free port; it ends with this process. `more` are further arguments. */
export async function redisServer(...more: readonly string[]): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(path.join(tmpdir(), 'fwk-redis-'));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  let child = await begin();

  async function begin(): Promise<ChildProcess> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const started = spawn(PROGRAM, [...args, '--dir', dir, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
    atExit(() => started.kill('SIGKILL'));
    await new Output(started).waitFor(/Ready to accept connections/);
    return started;
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    // A suspended process handles the signal when it continues.
    if (signal !== 'SIGKILL') child.kill('SIGCONT');
    await ended;
  };

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    stop: () => end('SIGTERM'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGKILL');
      child = await begin();
    },
  };
}
