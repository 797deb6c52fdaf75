import { type ChildProcess, spawn } from 'node:child_process';
import { atExit, whenStopped } from './cleanup.js';
import { environment, runCommand, serveHere } from './in-process.js';
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

/** Whether a command hands its streams to a process of its own, keeps them for a protocol, or listens to signals. */
const needsProcess = ([name = '', ...flags]: readonly string[]): boolean =>
  ['dev', 'test'].includes(name) || flags.includes('--stdio');

/** Runs `fwk …args` in the project's root to its end, in this process where that shows the same. */
export async function fwk(project: Pick<Project, 'root'>, ...args: string[]): Promise<Ended> {
  if (process.env.FWK_SPAWN || needsProcess(args)) return spawnFwk(project, ...args);
  const output = new Output();
  const status = await withinLimit(runCommand(project.root, args, output), `fwk ${args.join(' ')}`, output);
  output.close();
  return { status, stdout: output.stdout, stderr: output.stderr };
}

/** The same in a process of its own, as users run it. */
export function spawnFwk(project: Pick<Project, 'root'>, ...args: string[]): Promise<Ended> {
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

const DEV = ['dev', '--port', '0'];

/** Serves a project in this process as `fwk dev` does. Resolves once it serves and watches. */
export async function dev(project: Pick<Project, 'root'>, ...flags: string[]): Promise<Dev> {
  const output = new Output();
  const serving = process.env.FWK_SPAWN ? undefined : serveHere(project.root, [...DEV, ...flags], output);
  if (!serving) return spawnDev(project, ...flags);
  return whenServed(output, async (signal) => {
    serving.send(signal === 'SIGKILL' ? 'SIGTERM' : signal);
    const status = await withinLimit(serving.end, 'fwk dev', output);
    return { status, stdout: output.stdout, stderr: output.stderr };
  });
}

/** Starts `fwk dev` on a free port. Resolves once it serves and watches. */
export async function spawnDev(project: Pick<Project, 'root'>, ...flags: string[]): Promise<Dev> {
  const child = start(bin('fwk'), [...DEV, ...flags], project.root);
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  return whenServed(output, (signal) => {
    child.kill(signal);
    return end;
  });
}

async function whenServed(output: Output, end: (signal: NodeJS.Signals) => Promise<Ended>): Promise<Dev> {
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m).catch((error) => {
    end('SIGKILL').catch(() => {});
    throw error;
  });
  return {
    url,
    output,
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    waitFor: (pattern, after) => output.waitFor(pattern, after),
    async stop(signal = 'SIGTERM') {
      const result = await end(signal);
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
  const child = spawn(program, args, { cwd, env: environment(), stdio: [input, 'pipe', 'pipe'] });
  atExit(() => child.kill('SIGKILL'));
  return child;
}

/**
 * Resolves when the child has ended and its streams are read. A dev server waits as long as its test does; from when it
 * is asked to end it has the limit, too.
 */
export function ended(child: ChildProcess, name: string, output?: Output, limit = patience): Promise<Ended> {
  const told = output ?? new Output(child);
  const hangs = (since: string) => didNotEnd(name, limit, told, since);
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const expect = (since = '') => {
      timer ??= setTimeout(() => {
        child.kill('SIGKILL');
        reject(hangs(since));
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

const didNotEnd = (name: string, limit: number, { all }: Output, since = ''): Error =>
  new Error(`${name} did not end in ${limit / 1000} s${since}. Output:\n${all}`);

async function withinLimit<Value>(work: Promise<Value>, name: string, output: Output): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(didNotEnd(name, patience, output)), patience);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
