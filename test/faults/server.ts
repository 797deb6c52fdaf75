import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { atExit } from '../harness/cleanup.js';
import { freePort } from '../harness/free-port.js';
import type { Project } from '../harness/project.js';

/** Open files and connections that each process may have. */
const DESCRIPTORS = 200;
/** How long it may take to end, or to say what it holds, in milliseconds. */
const PATIENCE = 30_000;

/** What a process holds after its garbage is collected. */
export interface Held {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly descriptors: number;
}

/** The app under test: a primary with two workers, as an operator runs them. */
export class Server {
  readonly port: number;
  stderr = '';
  /** Set when the primary has ended. */
  ended: string | undefined;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #looks = 0;
  #clock = 0;

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child;
    this.port = port;
    this.#folder = folder;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    child.once('exit', (code, signal) => {
      this.ended = String(signal ?? code);
    });
  }

  static async start(made: Project, log: string, store: string): Promise<Server> {
    const port = await freePort();
    const folder = made.path('faults');
    const command = [process.execPath, '--import', made.path('preload.mjs'), 'dist/main.js'];
    const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'sh', ...command], {
      cwd: made.root,
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        FAULTS_FOLDER: folder,
        FAULTS_STORE: store,
        // glibc has an arena for each thread that compresses, up to eight a core, and gives little of them back: tens of megabytes that
        // nothing holds.
        MALLOC_ARENA_MAX: '1',
      },
      stdio: ['ignore', openSync(log, 'a'), 'pipe'],
    });
    atExit(() => child.kill('SIGKILL'));
    const server = new Server(child, port, folder);
    server.#control();
    while (!(await answers(port))) {
      if (server.ended !== undefined) throw new Error(`It ended with ${server.ended}: ${server.stderr}`);
      await setTimeout(50);
    }
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The workers that run now, those that are ending included. */
  get workers(): readonly number[] {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  }

  /** Sets the clock of the app so many milliseconds off. */
  setClock(milliseconds: number): void {
    this.#clock = milliseconds;
    this.#control();
  }

  /** What each process holds; those that end meanwhile are left out. */
  async look(): Promise<ReadonlyMap<number, Held>> {
    this.#looks += 1;
    this.#control();
    const held = new Map<number, Held>();
    const until = performance.now() + PATIENCE;
    for (const pid of [this.pid, ...this.workers]) {
      const file = path.join(this.#folder, `look-${this.#looks}-${pid}.json`);
      while (!existsSync(file) && existsSync(`/proc/${pid}`) && performance.now() < until)
        await setTimeout(50);
      await setTimeout(50);
      if (existsSync(file)) held.set(pid, JSON.parse(readFileSync(file, 'utf8')));
    }
    return held;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it as an operator does; resolves with how it ended. */
  async stop(): Promise<string> {
    if (this.ended !== undefined) return this.ended;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await Promise.race([exit, setTimeout(PATIENCE)]);
    return this.ended ?? `nothing after ${PATIENCE / 1000} s`;
  }

  #control(): void {
    const file = path.join(this.#folder, 'control.json');
    writeFileSync(`${file}.new`, JSON.stringify({ clock: this.#clock, look: this.#looks }));
    renameSync(`${file}.new`, file);
  }
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
