import { sep } from 'node:path';
import type { ProblemCode } from './codes.js';
import type { FrameReader, Problem } from './errors.js';

// What the kernel is given: how modules are imported (`loader/` implements it), where it logs, the time, and where the project is.

/** A module namespace. */
export type Namespace = Readonly<Record<string, unknown>>;

/** Imports project modules, each of them once. */
export interface Loader {
  /** Imports a module by its absolute path. What the module itself throws comes out unchanged. */
  import(file: string): Promise<Namespace>;
  /**
   * Where an import of `specifier` in the module `importer` (an absolute path) leads: the absolute path of a file, the URL
   * of a built-in module, or undefined where it leads nowhere. Imports nothing.
   */
  resolve(specifier: string, importer: string): Promise<string | undefined>;
  /** The namespace of a module, by its path below `source`, if the module is evaluated; undefined if it is not, or if the loader cannot tell. */
  loaded?(source: string, file: string): Namespace | undefined;
}

/** Reads thrown values: where in the project they come from, and what to say of them. */
export interface ErrorReader {
  readonly framesOf: FrameReader;
  /**
   * The problem of a thrown value, at the place in the project that threw it, or else in `file`. `what` completes "the file …"; `code` is
   * for a value that has none of its own.
   */
  problemOf(thrown: unknown, what: string, file: string, code: ProblemCode): Problem;
}

/**
 * Tells people what a phase waits for while it comes no further: `files`, or where no file is known to wait, the `plugin` whose tap runs. Each
 * is a line. Returns a function that ends it.
 */
export type ReportStalls = (
  waiting: () => { readonly files: readonly string[]; readonly plugin: string | undefined },
) => () => void;

/** The levels of a logger. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Writes one line: a text, or fields and a text. An error belongs in the field `err`. */
export interface LogMethod {
  (fields: object, message?: string, ...details: unknown[]): void;
  (message: string, ...details: unknown[]): void;
}

/** Where the framework and the project write what happens: pino's interface. `ctx.logger` is one. */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** The least severe level that is written, or `silent`. */
  level: string;
  /** A logger whose lines have these fields, too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** What a clock gives for a timer. */
export interface Timer {
  /** Let the process end although it runs still. */
  unref(): unknown;
  /** Begin its time anew. */
  refresh(): unknown;
}

/** Where a project reads the time that its promises are about: how long sessions, caches and limits last. A test may have its own. */
export interface Clock {
  /** Milliseconds of a clock that is never set, from any beginning. */
  now(): number;
  /** Milliseconds since the epoch. */
  date(): number;
  /** Call `run` once, in `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): Timer;
  /** Call `run` again and again, every `ms` milliseconds, until `clear`. */ setInterval(
    run: () => void,
    ms: number,
  ): Timer;
  /** End a timer of either sort. */
  clear(timer: Timer | undefined): void;
}

/** That of the process. It asks the global functions each time: fake timers of a test runner may stand in their place. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  setInterval: (run, ms) => setInterval(run, ms),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

/** Where a project is. */
export interface ProjectPaths {
  /** Absolute path of the project: where package.json, views/ and .fwk/ are. */
  readonly root: string;
  /** Absolute path of the directory that the convention directories are in: `root`, or `src` below it. */
  readonly source: string;
  /** The language of new files. Default: that of its files, and where there are none, TypeScript in `src`. */
  readonly language?: 'ts' | 'js';
}

/** A relative path as people read it on every system: with slashes. */
export const slashed = (path: string): string => path.split(sep).join('/');

/** Empty segments, `.` and `..`: a path with one is not as it would be written. */
export const NOT_PLAIN = /(?:^|\/)\.{0,2}(?:\/|$)/;
