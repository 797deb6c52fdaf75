import { onDemand } from './on-demand.js';
import type { Namespace } from './runner/source.js';

export type { Paint } from './errors/describe.js';
export { type Excerpt, type Explanation, explain, type Frame, type Trace } from './errors/explain.js';
export { describeModuleError, ModuleError, type ModuleErrorCode } from './errors/module-error.js';
export { positionOf } from './errors/position.js';
export { nativeLoader } from './native.js';
export { onDemand } from './on-demand.js';
export type { Namespace } from './runner/source.js';
export { tellWaiting, waitingModules } from './stalled.js';
export { extendedBy } from './tsconfig-extends.js';

/** Imports project modules, each of them once. */
export interface Loader {
  /**
   * Imports a module by its absolute path. Throws a ModuleError for what is wrong with the text; what the module
   * itself throws comes out unchanged, its stack pointing into the source.
   */
  import(file: string): Promise<Namespace>;
  /** The namespace of a module that is evaluated; undefined if it is not, or if the loader cannot tell. */
  loaded?(file: string): Namespace | undefined;
  /** Absolute paths of the files whose evaluation has begun and not ended: they wait in a top-level `await`. */
  readonly evaluating: Iterable<string>;
  /** The files that wait themselves, where `evaluating` cannot tell them from those that import them. */
  unfinished?(): Promise<readonly string[]>;
}

/** The loader of one version, from which that of the next is made. */
export interface SourceLoader extends Loader {
  /** Absolute paths of all project files loaded so far. */
  readonly files: ReadonlySet<string>;
  /** Whether it has loaded `file`, or would have if that had been there and without mistakes. */
  wants(file: string): boolean;
  /**
   * A loader for the next version, after `changed` (absolute paths) were added, changed or removed. Modules keep
   * their evaluation unless their code has changed, or that of anything they import. This loader stays as it is.
   */
  renew(changed: Iterable<string>): Promise<Renewal>;
  /** Its version has taken over: what kept modules import from now on is imported here. */
  adopt(): void;
}

export interface Renewal {
  readonly loader: SourceLoader;
  /** Absolute paths of the files that will be evaluated anew. */
  readonly stale: ReadonlySet<string>;
  /** Those of them whose own code has changed. */
  readonly changed: ReadonlySet<string>;
  /** Those whose text has, code or not, and those that were not loaded before. */
  readonly edited: ReadonlySet<string>;
}

/**
 * Runs the TypeScript and JavaScript sources of the project in `root`; packages are imported by Node. The runner itself
 * is loaded with the first module: a run that imports nothing does not wait for it.
 */
export function sourceLoader(root: string): SourceLoader {
  return new LazyLoader(async () => (await import('./runner/runner.js')).createRunner(root));
}

/** The same for a test, where the modules of a project may be its runner's to import. */
export async function testLoader(root: string): Promise<Loader> {
  // Of the processes that run tests; what they spawn has their environment, and not this.
  if (!('__vitest_worker__' in globalThis)) return sourceLoader(root);
  return (await import('./vitest-loader.js')).vitestLoader(root);
}

class LazyLoader implements SourceLoader {
  readonly #start: () => Promise<SourceLoader>;
  #started: SourceLoader | undefined;

  constructor(start: () => Promise<SourceLoader>) {
    this.#start = onDemand(start);
  }

  get files(): ReadonlySet<string> {
    return this.#started?.files ?? new Set();
  }

  wants(file: string): boolean {
    return this.#started?.wants(file) ?? false;
  }

  get evaluating(): Iterable<string> {
    return this.#started?.evaluating ?? [];
  }

  async import(file: string): Promise<Namespace> {
    return (await this.#loader()).import(file);
  }

  async renew(changed: Iterable<string>): Promise<Renewal> {
    return (await this.#loader()).renew(changed);
  }

  adopt(): void {
    this.#started?.adopt();
  }

  async #loader(): Promise<SourceLoader> {
    this.#started = await this.#start();
    return this.#started;
  }
}
