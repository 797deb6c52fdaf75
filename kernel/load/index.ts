import type { Namespace } from './source.js';

export type { Paint } from './describe.js';
export { describeModuleError, ModuleError, type ModuleErrorCode } from './error.js';
export { nativeLoader } from './native.js';
export { positionOf } from './position.js';
export { watchImports } from './slow.js';
export type { Namespace } from './source.js';
export { type Excerpt, type Explanation, explain, type Frame, type Trace } from './trace.js';

/** Imports project modules, each of them once. */
export interface Loader {
  /**
   * Imports a module by its absolute path. Throws a ModuleError for what is wrong with the text; what the module
   * itself throws comes out unchanged, its stack pointing into the source.
   */
  import(file: string): Promise<Namespace>;
  /** A loader that evaluates every module anew; text that did not change is not transformed again. */
  renew(): Loader;
  /** Absolute paths of all project files loaded so far. */
  readonly files: Iterable<string>;
  /** Absolute paths of the files whose evaluation has begun and not ended: they wait in a top-level `await`. */
  readonly evaluating: Iterable<string>;
}

/**
 * Runs the TypeScript and JavaScript sources of the project in `root`; packages are imported by Node. The runner itself
 * is loaded with the first module: a run that imports nothing does not wait for it.
 */
export function sourceLoader(root: string): Loader {
  return new LazyLoader(async () => (await import('./runner.js')).createRunner(root));
}

class LazyLoader implements Loader {
  readonly #start: () => Promise<Loader>;
  #starting: Promise<Loader> | undefined;
  #started: Loader | undefined;

  constructor(start: () => Promise<Loader>) {
    this.#start = start;
  }

  get files(): Iterable<string> {
    return this.#started?.files ?? [];
  }

  get evaluating(): Iterable<string> {
    return this.#started?.evaluating ?? [];
  }

  async import(file: string): Promise<Namespace> {
    return (await this.#loader()).import(file);
  }

  renew(): Loader {
    return new LazyLoader(async () => (await this.#loader()).renew());
  }

  async #loader(): Promise<Loader> {
    this.#starting ??= this.#start();
    this.#started = await this.#starting;
    return this.#started;
  }
}
