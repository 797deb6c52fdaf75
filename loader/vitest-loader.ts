import path from 'node:path';
import type { Namespace } from '../kernel/index.js';
import type { Loader } from './loader.js';
import { fromNative } from './native.js';
import { moduleUrl, resolveByNode } from './runner/resolve.js';

interface Vitest {
  readonly vi: { importActual(file: string): Promise<Namespace> };
}

/**
 * Imports the sources of the project in `root` like tests in vitest, so that its coverage includes them, and an app and its test share
 * the same modules, including mocks.
 */
export async function vitestLoader(root: string): Promise<Loader> {
  const { vi }: Vitest = await import(moduleUrl('vitest', path.join(root, 'package.json')));
  const evaluating = new Set<string>();
  return {
    evaluating,
    resolve: async (specifier, importer) => resolveByNode(specifier, importer),
    async import(file) {
      evaluating.add(file);
      try {
        return await vi.importActual(file);
      } catch (error) {
        throw fromNative(asError(error), file);
      } finally {
        evaluating.delete(file);
      }
    },
  };
}

/** An error of vitest's own process arrives as a plain object with the error's members. */
function asError(thrown: unknown): unknown {
  if (thrown instanceof Error || typeof Object(thrown).message !== 'string') return thrown;
  return Object.assign(new Error(Object(thrown).message), thrown);
}
