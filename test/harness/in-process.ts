import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as cli from '../../cli/main.js';
import { endWithTests } from './cleanup.js';
import { installed } from './installed.js';
import type { Output } from './output.js';

// Runs commands in the process of the test. Starting Node and importing the bundles takes longer than most commands do.

/** The destination of output: the running command, or the terminal for the tests' own output. */
const writing = new AsyncLocalStorage<Output | 'terminal'>();
/**
 * The `fwk dev` of this process. Output without an async context, such as the output of a socket's callback, belongs to
 * it.
 */
let served: Output | undefined;

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    const output = writing.getStore() ?? served ?? 'terminal';
    if (output === 'terminal') return Reflect.apply(write, stream, [chunk, ...more]);
    output.write(name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = more.find((one) => typeof one === 'function');
    if (done) process.nextTick(done as () => void);
    return true;
  }) as typeof write;
  // A command in a pipe shows no colors and no columns.
  Object.defineProperty(stream, 'isTTY', { value: false });
}

/** Runs tests whose own output goes to the terminal while this process serves a project. */
export const withTerminal = <Value>(act: () => Value): Value => writing.run('terminal', act);

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a command: the environment of the tests without settings of the machine. */
export function environment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  for (const name of ['PORT', 'HOST', 'NODE_ENV', 'FORCE_COLOR']) delete env[name];
  return env;
}

/** Sets the working directory and environment of this process; returns a function that restores them. */
function enter(directory: string, env: Environment): () => void {
  const before = { directory: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  process.chdir(directory);
  replaceEnvironment(env);
  process.exitCode = undefined;
  return () => {
    process.chdir(before.directory);
    replaceEnvironment(before.env);
    process.exitCode = before.exitCode;
  };
}

function replaceEnvironment(env: Environment): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

/** The published `main` of all commands. Projects import the same bundles. */
async function run(args: readonly string[], output: Output): Promise<void> {
  endWithTests();
  // Colors are decided once, when the bundle is imported.
  process.env.NO_COLOR ??= '1';
  const file = path.join(installed(), 'node_modules/fwkit/dist/bundle/cli.js');
  const { main } = (await import(pathToFileURL(file).href)) as typeof cli;
  await writing.run(output, () => main([process.execPath, 'fwk', ...args]));
}

let last: Promise<unknown> = Promise.resolve();

/** Runs `fwk …args` in `directory`, after the commands that this process runs already. Resolves with its exit code. */
export function runCommand(directory: string, args: readonly string[], output: Output): Promise<number> {
  const turn = last.then(async () => {
    const leave = enter(directory, environment());
    const listeners = new OwnListeners(output);
    try {
      await run(args, output);
      return Number(process.exitCode ?? 0);
    } finally {
      listeners.remove();
      leave();
    }
  });
  last = turn.catch(() => {});
  return turn;
}

/** A command that runs until it gets a signal. */
interface Serving {
  /** Its exit code. */
  readonly end: Promise<number>;
  /** Sends a signal to the command's listeners, but not to the listeners of the tests. */
  send(signal: NodeJS.Signals): void;
}

/** Runs `fwk …args` in `directory` until it gets a signal; undefined where this process serves a project already. */
export function serveHere(directory: string, args: readonly string[], output: Output): Serving | undefined {
  if (served) return undefined;
  served = output;
  const leave = enter(directory, environment());
  const listeners = new OwnListeners(output);
  const { stackTraceLimit } = Error;
  const end = run(args, output)
    .then(() => Number(process.exitCode ?? 0))
    .finally(() => {
      listeners.remove();
      Error.stackTraceLimit = stackTraceLimit;
      leave();
      served = undefined;
      output.close();
    });
  return { end, send: (signal) => listeners.call(signal) };
}

/**
 * A command's listeners on this process and its streams, separate from the listeners of the tests and their browsers.
 */
class OwnListeners {
  readonly #emitters: readonly EventEmitter[] = [process, process.stdout, process.stderr];
  readonly #own = new Set<unknown>();
  readonly #note: (event: string, listener: unknown) => void;

  constructor(output: Output) {
    this.#note = (_event, listener) => {
      if (writing.getStore() === output) this.#own.add(listener);
    };
    for (const emitter of this.#emitters) emitter.on('newListener', this.#note);
  }

  /** Has the listeners for a signal receive it. */
  call(signal: NodeJS.Signals): void {
    for (const listener of this.#of(process, signal))
      listener.call(process, signal, constants.signals[signal]);
  }

  remove(): void {
    for (const emitter of this.#emitters) {
      emitter.off('newListener', this.#note);
      for (const event of emitter.eventNames())
        for (const listener of this.#of(emitter, event)) emitter.off(event, listener as () => void);
    }
  }

  #of(emitter: EventEmitter, event: string | symbol) {
    return emitter.rawListeners(event).filter((raw) => this.#own.has('listener' in raw ? raw.listener : raw));
  }
}
