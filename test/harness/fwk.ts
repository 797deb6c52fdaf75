import { type ChildProcess, spawn } from 'node:child_process';
import { atExit, whenStopped } from './cleanup.js';
import { bin } from './installed.js';
import { Output } from './output.js';
import type { Project } from './project.js';

const patience = 30_000;
const ENDING: readonly (NodeJS.Signals | number)[] = ['SIGTERM', 'SIGINT', 'SIGKILL'];

/** What an ended command left. */
export interface Ended {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `fwk …args` in the project's root to its end. */
export function fwk(project: Pick<Project, 'root'>, ...args: string[]): Promise<Ended> {
  return ended(start(bin('fwk'), args, project.root), `fwk ${args.join(' ')}`);
}

/** A running `fwk dev`. */
export interface Dev {
  readonly url: string;
  readonly output: Output;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  waitFor(pattern: RegExp, after?: number): Promise<RegExpExecArray>;
  /** Sends SIGTERM and resolves when the process has ended; anything but status 0 rejects. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts `fwk dev` on a free port and resolves once it serves and watches. */
export async function dev(project: Pick<Project, 'root'>, ...flags: string[]): Promise<Dev> {
  const child = start(bin('fwk'), ['dev', '--port', '0', ...flags], project.root);
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    output,
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    waitFor: (pattern, after) => output.waitFor(pattern, after),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const result = await end;
      if (result.status !== 0) throw new Error(`fwk dev ended with ${result.status}:\n${output.all}`);
      return result;
    },
  };
}

/** Starts a program that does not outlive this process. `input`: whether it gets what is written to its stdin. */
export function start(
  program: string,
  args: readonly string[],
  cwd: string,
  input: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  for (const name of ['PORT', 'HOST', 'NODE_ENV', 'FORCE_COLOR']) delete env[name];
  const child = spawn(program, args, { cwd, env, stdio: [input, 'pipe', 'pipe'] });
  atExit(() => child.kill('SIGKILL'));
  return child;
}

/**
 * Resolves when the child has ended and its streams are read. A dev server waits as long as its test does; from when it
 * is asked to end it has the limit, too.
 */
export function ended(child: ChildProcess, name: string, output?: Output, limit = patience): Promise<Ended> {
  const told = output ?? new Output(child);
  const hangs = (since: string) => `${name} did not end in ${limit / 1000} s${since}. Output:\n${told.all}`;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const expect = (since = '') => {
      timer ??= setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(hangs(since)));
      }, limit);
    };
    if (!output) expect();
    const { kill } = child;
    child.kill = (signal) => {
      if (signal === undefined || ENDING.includes(signal)) expect(' after it was asked to');
      return kill.call(child, signal);
    };
    whenStopped(() => {
      if (child.exitCode === null && child.signalCode === null)
        console.error(`${name} runs still. Its last output:\n${told.all.slice(-2_000)}`);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      // A signal to what has ended must not start it again.
      child.kill = kill;
      resolve({ status: code ?? signal, stdout: told.stdout, stderr: told.stderr });
    });
  });
}
