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
export { isTooManyOpenFiles, onDemand } from './on-demand.js';
export { findPackage, installedIn, readPackage, upwards } from './package-json.js';
export { type PackageManager, packageManager } from './package-manager.js';
export { reportWaiting, stallReporter, waitingModules } from './stalled.js';
export { extendedBy, type ReadConfig, type TsConfig, tsconfigChain } from './tsconfig.js';

/**
 * Runs the TypeScript and JavaScript sources of the project in `root`, and the modules of linked packages
 * that `linked` selects; Node imports all other packages.
 */
export function sourceLoader(root: string, linked: LinkedModules = 'typescript'): SourceLoader {
  return new LazyLoader(async () => (await import('./runner/runner.js')).createRunner(root, linked));
}

/**
 * The folder that the tests of this process belong to: under vitest, the root of its project if it has a
 * package.json, since one run at the root of a repository may have many projects; elsewhere the current
 * directory.
 */
export function rootOfTests(): string {
  const worker: unknown = Reflect.get(globalThis, '__vitest_worker__');
  const root: unknown = Object(Object(worker).config).root;
  return typeof root === 'string' && existsSync(join(root, 'package.json')) ? root : '.';
}

/** The same for a test, in which the test runner may import the project's modules. */
export async function testLoader(root: string): Promise<Loader> {
  // Set only in the test process itself. Child processes inherit its environment but not this flag.
  if (!('__vitest_worker__' in globalThis)) return sourceLoader(root);
  return (await import('./vitest-loader.js')).vitestLoader(root);
}
