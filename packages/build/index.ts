/** For fwkit only. This is not a public API, and may change with every version. */
export { moduleRunnerTransformSync, transformSync } from 'oxc-transform';

/** Imports a helper for transformed code, `@oxc-project/runtime/…`, which is a dependency of this package and not of the project. */
export const importHelper = (specifier: string): Promise<Readonly<Record<string, unknown>>> =>
  import(specifier);
