import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Node 20 caches failed reads of modules and package.json files for the life of the process. */
const KEEPS_FAILURES = Number.parseInt(process.versions.node, 10) < 22;

/** Number of file descriptors that must be free: Node 20 reads all files of a graph at once; later versions read as many as they can. */
const MIN_FREE_DESCRIPTORS = KEEPS_FAILURES ? 32 : 8;

/**
 * Returns a function that calls `load` once, and again after a failure. For modules that are imported while requests are served: if too
 * few file descriptors are free, it rejects with EMFILE without calling `load`, because Node may cache a failed read forever.
 *
 * @param load `() => import('./rarely.js')`
 * @param files the number of files that it may read at once, if more than a few
 */
export function onDemand<T>(load: () => Promise<T>, files = 0): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    needDescriptors(KEEPS_FAILURES ? Math.max(files, MIN_FREE_DESCRIPTORS) : MIN_FREE_DESCRIPTORS);
    return load();
  };
  return () => {
    loading ??= begin().catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}

function needDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (cause) {
    if (!isTooManyOpenFiles(cause)) return;
    const message = `EMFILE: fewer than ${count} file descriptors are free to load a module. The next call tries again.`;
    throw Object.assign(new Error(message, { cause }), { code: 'EMFILE' });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

export const isTooManyOpenFiles = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
