import { LazyLoader } from './lazy-loader.js';
import type { Loader, SourceLoader } from './loader.js';

export { findBuildPackage } from './build-package.js';
export { type Explanation, explain } from './errors/explain.js';
export { describeModuleError, ModuleError, type ModuleErrorCode } from './errors/module-error.js';
export { positionOf } from './errors/position.js';
export type { Excerpt, Frame, Paint, Trace } from './errors/trace.js';
export type { Loader, Renewal, SourceLoader } from './loader.js';
export { modulePath } from './module-path.js';
export { nativeLoader } from './native.js';
export { onDemand } from './on-demand.js';
export { type PackageManager, packageManager } from './package-manager.js';
export type { Namespace } from './runner/body.js';
export { reportWaiting, waitingModules } from './stalled.js';
export { extendedBy } from './tsconfig-extends.js';

/**
 * Runs the TypeScript and JavaScript sources of the project in `root`; packages are imported by Node.
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
