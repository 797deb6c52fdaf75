import type { Namespace } from '../../kernel/index.js';

export type NativeImport = (specifier: string, options?: ImportCallOptions) => Promise<Namespace>;

/** A module as a function; the parameters are what its code asks of the runner. */
export type Body = (
  exports: object,
  meta: object,
  load: (specifier: string, details?: { importedNames?: string[] }) => unknown,
  loadLater: (specifier: unknown, options?: ImportCallOptions) => Promise<Namespace>,
  exportAll: (namespace: object) => void,
) => Promise<void>;
