import { sep } from 'node:path';
import type { ProblemCode } from './codes.js';
import type { FrameReader, Problem } from './errors.js';

/** The exports of a module, by name. */
export type Namespace = Readonly<Record<string, unknown>>;

/** Imports project modules, each of them once. `loader/` implements it. */
export interface Loader {
  /** Imports a module by its absolute path. Errors that the module throws are rethrown unchanged. */
  import(file: string): Promise<Namespace>;
  /**
   * Resolves an import of `specifier` in the module `importer` (an absolute path) to the absolute path of a file, the URL of a
   * built-in module, or undefined if it cannot be resolved. Imports nothing.
   */
  resolve(specifier: string, importer: string): Promise<string | undefined>;
  /** The namespace of a module, by its path below `source`, if the module is evaluated; undefined if it is not, or if the loader cannot tell. */
  loaded?(source: string, file: string): Namespace | undefined;
  /** Absolute paths of the modules that differ from the previous version's; undefined if any module may differ. */
  readonly renewed?: ReadonlySet<string> | undefined;
}

/** Turns thrown values into stack frames and problems. */
export interface ErrorReader {
  readonly framesOf: FrameReader;
  /**
   * Describes a thrown value as a problem, located where the project threw it, or else in `file`. `what` completes "the file …".
   * `code` is used if the thrown value has no code of its own.
   */
  problemOf(thrown: unknown, what: string, file: string, code: ProblemCode): Problem;
}

/**
 * Reports a phase that makes no progress: the `files` that it waits for or, if none are known, the `plugin` whose tap is running.
 * Each is one line of text. Returns a function that stops the report.
 */
export type ReportStalls = (
  waiting: () => { readonly files: readonly string[]; readonly plugin: string | undefined },
) => () => void;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Writes one log line: a message, or fields and a message. Pass an error in the field `err`. */
export interface LogMethod {
  (fields: object, message?: string, ...details: unknown[]): void;
  (message: string, ...details: unknown[]): void;
}

/** The logger of the framework and the project, with pino's interface. `ctx.logger` is one. */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** The least severe level that is written, or `silent`. */
  level: string;
  /** Create a logger that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** A timer of a clock, like Node's `Timeout`. */
export interface Timer {
  /** Let the process exit while this timer is still pending. */
  unref(): unknown;
  refresh(): unknown;
}

/** The time source for sessions, caches, rate limits and timers. A test can replace it. */
export interface Clock {
  /** Milliseconds of a monotonic clock with an arbitrary origin. */
  now(): number;
  /** Milliseconds since the epoch. */
  date(): number;
  setTimeout(run: () => void, ms: number): Timer;
  setInterval(run: () => void, ms: number): Timer;
  clear(timer: Timer | undefined): void;
}

/** The clock of the process. It looks up the global functions at each call, because test runners replace them with fake timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  setInterval: (run, ms) => setInterval(run, ms),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

export interface ProjectPaths {
  /** Absolute path of the project: where package.json, views/ and .fwk/ are. */
  readonly root: string;
  /** Absolute path of the parent of the convention directories: `root`, or `src` below it. */
  readonly source: string;
  /** The language of generated files. Default: the language of existing files. In an empty project, TypeScript if `source` is `src`. */
  readonly language?: 'ts' | 'js';
}

/** A relative path with forward slashes on every operating system. */
export const toPosix = (path: string): string => path.split(sep).join('/');

/** Matches a path that has an empty segment, `.` or `..`, and has to be normalized. */
export const NOT_PLAIN = /(?:^|\/)\.{0,2}(?:\/|$)/;
