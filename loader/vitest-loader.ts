import path from 'node:path';
import type { Namespace } from '../kernel/index.js';
import type { Loader } from './loader.js';
import { fromNative } from './native.js';
import { moduleUrl, resolveByNode } from './runner/resolve.js';

interface Vitest {
  readonly vi: { importActual(file: string): Promise<Namespace> };
}

/**
 * Imports the sources of the project in `root` as the tests that vitest runs do. Only what it transforms itself has a
 * place in its coverage; besides, an app and its test then have the same modules, mocked ones too.
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

/** What vitest's own process refused comes as an object with the members of the error. */
function asError(thrown: unknown): unknown {
  if (thrown instanceof Error || typeof Object(thrown).message !== 'string') return thrown;
  return Object.assign(new Error(Object(thrown).message), thrown);
}
