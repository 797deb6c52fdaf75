import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Node 20 keeps what it could not read, of modules and of packages, for as long as it runs. */
const KEEPS_FAILURES = Number.parseInt(process.versions.node, 10) < 22;

/** Descriptors that must be free: Node 20 reads the files of a graph at once; later ones read as many as they get. */
const MIN_FREE_DESCRIPTORS = KEEPS_FAILURES ? 32 : 8;

/**
 * A function that does `load` when it is first called, and from then on gives what came of it. What fails is tried again
 * by the next call. For what is imported while requests are served: where this process has no file descriptors to spare,
 * `load` is not begun and the call rejects with the code EMFILE, since of what Node could not read it may keep for ever
 * that it could not.
 *
 * @param load `() => import('./rarely.js')`
 * @param files how many files it may read at once, where they are more than a few
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
    const message = `EMFILE: fewer than ${count} file descriptors are free to load what this needs. It is tried again when it is next needed.`;
    throw Object.assign(new Error(message, { cause }), { code: 'EMFILE' });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Whether an error means that this process, or the machine, has too many files open. */
export const isTooManyOpenFiles = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
