import type { ProblemCode } from './codes.js';
import type { FrameReader, Problem } from './errors.js';

// What the kernel needs of whatever imports the modules of a project. `loader/` implements it.

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
