import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LazyLoader } from './lazy-loader.js';
import type { Loader, SourceLoader } from './loader.js';
import type { LinkedModules } from './runner/resolve.js';

export { findBuildPackage } from './build-package.js';
export { type Explanation, explain } from './errors/explain.js';
export { describeModuleError, ModuleError, type ModuleErrorCode } from './errors/module-error.js';
export { errorReader, framesOf, MissingPackage, problemOf } from './errors/problem-of.js';
export { positionOf } from './errors/stack-of.js';
export type { Excerpt, Frame, Paint, Trace } from './errors/trace.js';
export { parseJsonc } from './json.js';
export type { Loader, Renewal, SourceLoader } from './loader.js';
export { modulePath } from './module-path.js';
export { nativeLoader } from './native.js';
export { onDemand } from './on-demand.js';
export { findPackage, installedIn, readPackage, upwards } from './package-json.js';
export { type PackageManager, packageManager } from './package-manager.js';
export { reportWaiting, stallReporter, waitingModules } from './stalled.js';
export { extendedBy, type ReadConfig, type TsConfig, tsconfigChain } from './tsconfig.js';

/**
 * Runs the TypeScript and JavaScript sources of the project in `root`, and those modules of linked packages that `linked` says; all
 * other packages are imported by Node.
 */
export function sourceLoader(root: string, linked: LinkedModules = 'typescript'): SourceLoader {
  return new LazyLoader(async () => (await import('./runner/runner.js')).createRunner(root, linked));
}

/**
 * The folder that the tests of this process are of: under vitest the root of its project, where there is a package.json, since one run
 * at the root of a repository may have many; elsewhere the current directory.
 */
export function rootOfTests(): string {
  const worker: unknown = Reflect.get(globalThis, '__vitest_worker__');
  const root: unknown = Object(Object(worker).config).root;
  return typeof root === 'string' && existsSync(join(root, 'package.json')) ? root : '.';
}

/** The same for a test, where the modules of a project may be its runner's to import. */
export async function testLoader(root: string): Promise<Loader> {
  // Of the processes that run tests; what they spawn has their environment, and not this.
  if (!('__vitest_worker__' in globalThis)) return sourceLoader(root);
  return (await import('./vitest-loader.js')).vitestLoader(root);
}
