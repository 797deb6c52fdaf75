import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Loader, SourceLoader } from './loader.js';
import { vitestLoader } from './native.js';
import { onDemand } from './on-demand.js';
import type { LinkedModules } from './runner/resolve.js';

export { findBuildPackage } from './build-package.js';
export type { Excerpt, Frame, Paint, Trace } from './errors/explain.js';
export { type Explanation, explain } from './errors/explain.js';
export { describeModuleError, ModuleError, type ModuleErrorCode } from './errors/module-error.js';
export { errorReader, framesOf, MissingPackage, problemOf } from './errors/problem-of.js';
export { positionOf } from './errors/stack-of.js';
export { parseJsonc } from './json.js';
export type { Loader, Renewal, SourceLoader } from './loader.js';
export { modulePath } from './module-path.js';
export { nativeLoader } from './native.js';
export { isTooManyOpenFiles, onDemand } from './on-demand.js';
export {
  findPackage,
  installedIn,
  listDirectory,
  readPackage,
  readText,
  upwards,
} from './package-json.js';
export { type PackageManager, packageManager } from './package-manager.js';
export { reportWaiting, stallReporter, waitingModules } from './stalled.js';
export { extendedBy, type ReadConfig, type TsConfig, tsconfigChain } from './tsconfig.js';

/** Runs the sources of the project in `root`, and the modules of linked packages that `linked` selects; Node imports all other packages. */
export function sourceLoader(root: string, linked: LinkedModules = 'typescript'): SourceLoader {
  let runner: SourceLoader | undefined;
  // Loaded with the first imported module, so that a run without imports doesn't wait for it.
  const load = onDemand(async () => (await import('./runner/runner.js')).createRunner(root, linked));
  const start = async (): Promise<SourceLoader> => {
    runner = await load();
    return runner;
  };
  return {
    get files() {
      return runner?.files ?? new Map<string, unknown>();
    },
    get evaluating() {
      return runner?.evaluating ?? [];
    },
    wants: (file) => runner?.wants(file) ?? false,
    loaded: (source, file) => runner?.loaded?.(source, file),
    import: async (file) => (await start()).import(file),
    resolve: async (specifier, importer) => (await start()).resolve(specifier, importer),
    renew: async (changed) => (await start()).renew(changed),
    fresh: () => runner?.fresh(),
    prepare: (file) => runner?.prepare(file),
    adopt: () => runner?.adopt(),
  };
}

/** The folder of the tests of this process: under vitest, its project's root, since one run may have many; elsewhere the current folder. */
export function rootOfTests(): string {
  const worker: unknown = Reflect.get(globalThis, '__vitest_worker__');
  const root: unknown = Object(Object(worker).config).root;
  return typeof root === 'string' && existsSync(join(root, 'package.json')) ? root : '.';
}

/** The same for a test, in which the test runner may import the project's modules. */
export async function testLoader(root: string): Promise<Loader> {
  // Set only in the test process itself. Child processes inherit its environment but not this flag.
  if (!('__vitest_worker__' in globalThis)) return sourceLoader(root);
  return vitestLoader(root);
}
