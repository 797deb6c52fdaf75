import type { Namespace } from './source.js';

export { ModuleError, type ModuleErrorCode } from './error.js';
export { nativeLoader } from './native.js';
export { sourceLoader } from './runner.js';
export type { Namespace } from './source.js';
export { positionOf } from './stack.js';

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
}
