/** What fwkit takes from here; it is no interface for others, and changes with every version. */
export { moduleRunnerTransformSync, transformSync } from 'oxc-transform';

/** Imports a helper that transformed code calls, `@oxc-project/runtime/…`: it comes with this package, not with the project. */
export const importHelper = (specifier: string): Promise<Readonly<Record<string, unknown>>> =>
  import(specifier);
