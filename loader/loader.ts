import type { Loader as ModuleLoader } from '../kernel/index.js';

/** Imports project modules. `import` throws a ModuleError for what is wrong with the text; stacks point into the sources. */
export interface Loader extends ModuleLoader {
  /** Absolute paths of the files whose import has begun and not ended: a top-level `await` of theirs, or of their imports, is pending. */
  readonly evaluating: Iterable<string>;
  /** The file that people wrote `file` in, relative to the root: of what is compiled, its source. */
  sourceOf?(file: string): string;
}

/** The loader of one version, from which that of the next is made. */
export interface SourceLoader extends Loader {
  readonly files: ReadonlySet<string>;
  /** Whether it has loaded `file`, or would have if that had been there and without mistakes. */
  wants(file: string): boolean;
  /**
   * A loader for the next version, after `changed` (absolute paths) were added, changed or removed. Modules keep
   * their evaluation unless their code has changed, or that of anything they import. This loader stays as it is.
   */
  renew(changed: Iterable<string>): Promise<Renewal>;
  /** `file` is being saved: make of its text what `renew` is going to need, unless that changes again. */
  prepare(file: string): void;
  /** Its version has started: later imports of kept modules are made here. */
  adopt(): void;
}

export interface Renewal {
  readonly loader: SourceLoader;
  /** Absolute paths of the files that will be evaluated again. */
  readonly stale: ReadonlySet<string>;
  /** Those of them whose own code has changed. */
  readonly changed: ReadonlySet<string>;
  /** Those whose text has, code or not, and those that were not loaded before. */
  readonly edited: ReadonlySet<string>;
}
