import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import { atExit } from './cleanup.js';
import { freePort } from './free-port.js';
import { Output } from './output.js';

/** Where Debian has its programs, one folder for each version. */
const DEBIAN = '/usr/lib/postgresql';

/** The folder of its programs: POSTGRES_BIN, or the newest that Debian has. */
function programs(): string | undefined {
  if (process.env.POSTGRES_BIN !== undefined) return process.env.POSTGRES_BIN;
  const version = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))[0]
    : undefined;
  return version && path.join(DEBIAN, version, 'bin');
}

/**
 * Tests that need PostgreSQL; without it, one skipped test that gives the reason. POSTGRES_BIN names another folder.
 */
export function withPostgres(tests: { run(): void }): { run(): void } {
  const folder = programs();
  if (folder !== undefined && spawnSync(path.join(folder, 'postgres'), ['--version']).status === 0)
    return tests;
  const none = suite('postgres');
  none.skip('PostgreSQL is not installed: apt-get install postgresql');
  return none;
}

/** A PostgreSQL server of a test, with its own folder. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of a database, by default `postgres`. */
  url(database?: string): string;
  /** End at once, as after a crash: connections are cut off, and the log is replayed at the next start. */
  crash(): Promise<void>;
  /** Starts it again with its data. */
  restart(): Promise<void>;
}

/** Start a PostgreSQL on a free port; it ends with this process. */
export async function postgresServer(): Promise<PostgresServer> {
  const folder = programs() ?? '';
  const dir = mkdtempSync(path.join(tmpdir(), 'fwk-postgres-'));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  // Its programs refuse to be run by root.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (isRoot) chownSync(dir, idOf('-u'), idOf('-g'));
  const data = path.join(dir, 'data');
  const port = await freePort();
  const initialize = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(path.join(folder, 'initdb'), initialize, { ...user, cwd: dir, stdio: 'pipe' });
  const address = ['-p', String(port), '-h', '127.0.0.1', '-k', dir];
  const settings = ['fsync=off', 'shared_buffers=16MB'].flatMap((one) => ['-c', one]);
  let child = await begin();

  async function begin(): Promise<ChildProcess> {
    const started = spawn(path.join(folder, 'postgres'), ['-D', data, ...address, ...settings], {
      ...user,
      cwd: dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // SIGQUIT: without waiting for anybody.
    atExit(() => started.kill('SIGQUIT'));
    await new Output(started).waitFor(/ready to accept connections/);
    return started;
  }

  const crash = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  };

  return {
    port,
    url: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
    crash,
    async restart() {
      await crash();
      child = await begin();
    },
  };
}

const idOf = (which: '-u' | '-g'): number =>
  Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
