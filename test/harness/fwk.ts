import { type ChildProcess, spawn } from 'node:child_process';
import { atExit, whenStopped } from './cleanup.js';
import { environment, runCommand, serveHere } from './in-process.js';
import { bin } from './installed.js';
import { Output } from './output.js';
import { patience, withPatience } from './patience.js';
import type { Project } from './project.js';

/** How long a command may take on an idle machine, in milliseconds. */
const COMMAND_LIMIT_MS = 30_000;
const ENDING: readonly (NodeJS.Signals | number)[] = ['SIGTERM', 'SIGINT', 'SIGKILL'];

/** The result of a command. */
export interface Ended {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether a command passes its streams to a child process or uses them for a protocol. */
const needsProcess = ([name, ...flags]: readonly string[]): boolean =>
  name === 'test' || flags.includes('--stdio');

/** Runs `fwk …args` in the project's root to its end, in this process where that shows the same. */
export async function fwk(project: Pick<Project, 'root'>, ...args: string[]): Promise<Ended> {
  if (needsProcess(args)) return spawnFwk(project, ...args);
  const output = new Output();
  const status = await withinLimit(runCommand(project.root, args, output), `fwk ${args.join(' ')}`, output);
  output.close();
  return { status, stdout: output.stdout, stderr: output.stderr };
}

/** The same in its own process, as users run it. */
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
  const serving = serveHere(project.root, [...DEV, ...flags], output);
  if (!serving) return spawnDev(project, ...flags);
  // Until it serves, a signal would end this process.
  return server(await output.waitFor(SERVES), output, async (signal) => {
    serving.send(signal === 'SIGKILL' ? 'SIGTERM' : signal);
    const status = await withinLimit(serving.end, 'fwk dev', output);
    return { status, stdout: output.stdout, stderr: output.stderr };
  });
}

/** Starts `fwk dev` on a free port. Resolves once it serves and watches. */
export const spawnDev = (project: Pick<Project, 'root'>, ...flags: string[]): Promise<Dev> =>
  serverOf(launch(bin('fwk'), [...DEV, ...flags], project.root));

/** The same with variables such as `NODE_ENV=staging`. */
export const spawnDevWith = (project: Pick<Project, 'root'>, ...variables: string[]): Promise<Dev> =>
  serverOf(launch('/usr/bin/env', [...variables, bin('fwk'), ...DEV], project.root));

async function serverOf({ child, output, end }: ReturnType<typeof launch>): Promise<Dev> {
  const serves = await output.waitFor(SERVES).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return server(serves, output, (signal) => {
    child.kill(signal);
    return end;
  });
}

/** The output of `fwk dev` when it serves. */
const SERVES = /(http:\/\/\S+:\d+)\/$/m;

function server(
  [, url = '']: RegExpExecArray,
  output: Output,
  end: (signal: NodeJS.Signals) => Promise<Ended>,
): Dev {
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

/** Starts a program that ends with this process. `input`: whether its stdin is a pipe. */
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

/** Starts a program. `stop` sends SIGTERM and resolves when it has ended; rejects if its exit code is not `status`. */
export function launch(...given: Parameters<typeof start>) {
  const child = start(...given);
  const output = new Output(child);
  const name = [given[0], ...given[1]].join(' ');
  const end = ended(child, name, output);
  const stop = async (status = 0): Promise<Ended> => {
    child.kill('SIGTERM');
    const ending = await end;
    if (ending.status !== status) throw new Error(`${name} ended with ${ending.status}:\n${output.all}`);
    return ending;
  };
  return { child, output, end, stop };
}

/**
 * Resolves when the child has ended and its streams are read. A dev server runs as long as its test; the limit starts
 * when it receives a signal to end.
 */
export function ended(
  child: ChildProcess,
  name: string,
  output?: Output,
  idleLimit = COMMAND_LIMIT_MS,
): Promise<Ended> {
  const captured = output ?? new Output(child);
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const expect = (since = '') => {
      const limit = patience(idleLimit);
      timer ??= setTimeout(() => {
        child.kill('SIGKILL');
        reject(didNotEnd(name, limit, captured, since));
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
        console.error(`${name} runs still. Its last output:\n${captured.all.slice(-2_000)}`);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      // A signal to an ended process must not start it again.
      child.kill = kill;
      resolve({ status: code ?? signal, stdout: captured.stdout, stderr: captured.stderr });
    });
  });
}

const didNotEnd = (name: string, limit: number, { all }: Output, since = ''): Error =>
  new Error(`${name} did not end in ${limit / 1000} s${since}. Output:\n${all}`);

const withinLimit = <Value>(work: Promise<Value>, name: string, output: Output): Promise<Value> =>
  withPatience(work, (limit) => didNotEnd(name, limit, output), COMMAND_LIMIT_MS);
