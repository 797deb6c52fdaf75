import type { Loader as ModuleLoader } from '../kernel/index.js';

/** Imports project modules. `import` throws a ModuleError for mistakes in the text; stacks point into the sources. */
export interface Loader extends ModuleLoader {
  /** Absolute paths of the files whose import is unfinished: a top-level `await` in them, or in their imports, is pending. */
  readonly evaluating: Iterable<string>;
  /** The source of `file` as the user wrote it, relative to the root: for a compiled file, its source file. */
  sourceOf?(file: string): string;
}

export interface SourceLoader extends Loader {
  /** The loaded modules by absolute path. */
  readonly files: ReadonlyMap<string, unknown>;
  /** Whether it has loaded `file`, or would have if the file existed without mistakes. */
  wants(file: string): boolean;
  /**
   * A loader for the next version, after `changed` (absolute paths) were added, changed or removed. Modules keep their evaluation unless
   * their code, or the code of a module that they import, has changed. This loader is not modified.
   */
  renew(changed: Iterable<string>): Promise<Renewal>;
  /** A loader that evaluates all modules again, and reads no file again that this loader has read. Undefined before the first import. */
  fresh(): SourceLoader | undefined;
  /** `file` is being saved: transform its text ahead of `renew`, in case it doesn't change again. */
  prepare(file: string): void;
  /** Its version has started: this loader handles later imports in modules that versions share. */
  adopt(): void;
}

export interface Renewal {
  readonly loader: SourceLoader;
  readonly stale: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  /** Files whose text changed, even if the code did not, and files that are loaded for the first time. */
  readonly edited: ReadonlySet<string>;
}
