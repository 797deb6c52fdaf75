import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type Kernel,
  type Metadata,
  type ProjectPaths,
  type ReloadObserver,
  type Renewal,
  type Resolved,
  type Runtime,
  type SourceLoader,
  StaleMetadata,
  sourceLoader,
} from '../../kernel/internal.js';
import { generateBeside } from '../files/generate.js';
import { openSources } from '../project.js';
import { terminalLogger } from '../terminal/logger.js';

/** A version that serves, and what the next is made from. */
export interface RunningVersion extends Resolved {
  readonly kernel: Kernel;
  readonly loader: SourceLoader;
}

/** Files that were saved, and the loader made of them. */
interface Edit {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  readonly renewal: Renewal;
}

/** Make the first version, with `loader`, and serve it. */
export async function serveFirst(
  paths: ProjectPaths,
  runtime: Runtime,
  loader: SourceLoader,
  observer: ReloadObserver,
): Promise<RunningVersion> {
  const kernel = await openSources(paths, { logger: terminalLogger(paths.root), loader });
  await generateBeside(kernel, paths, 'types');
  return { ...(await kernel.serve(runtime, observer)), kernel, loader };
}

/** The loader after `files` were saved. A new environment may change whatever reads it, which is anything. */
export const renew = async (
  { loader }: RunningVersion,
  root: string,
  files: readonly string[],
): Promise<Renewal> =>
  files.some((file) => basename(file).startsWith('.env'))
    ? { loader: sourceLoader(root), stale: loader.files, changed: loader.files, edited: new Set(files) }
    : loader.renew(files);

/** Make the version after `edit` and start it; undefined if it would do what `current` does. */
export async function serveNext(
  current: RunningVersion,
  { files, renewal }: Edit,
  paths: ProjectPaths,
  runtime: Runtime,
  observer: ReloadObserver,
): Promise<RunningVersion | undefined> {
  const { kernel: before, project: previous } = current;
  const { loader, stale } = renewal;
  const areModules = files.every(isModule);
  // Where every file was known before and is still there, the source directory is what it was.
  const isKnown = (file: string) => current.loader.files.has(file) && existsSync(file);
  const isThere = previous.source === paths.source;
  const entries = isThere && areModules && files.every(isKnown) ? before.entries() : undefined;
  const open = (metadata?: Metadata) =>
    openSources(paths, { logger: terminalLogger(paths.root), loader, previous, entries, metadata });

  const kernel = await open(isThere ? metadataThatHolds(current, renewal) : undefined);
  const isListed = isThere && (kernel.entries() === before.entries() || listed(kernel) === listed(before));
  if (stale.size === 0 && isListed && areModules && previous.run.staleNotices.length === 0) return undefined;
  if (!isListed || !areModules) await generateBeside(kernel, paths, 'types');
  try {
    return { ...(await kernel.serve(runtime, observer)), kernel, loader };
  } catch (thrown) {
    if (!(thrown instanceof StaleMetadata)) throw thrown;
    const certain = await open();
    return { ...(await certain.serve(runtime, observer)), kernel: certain, loader };
  }
}

/**
 * The metadata that the version before had of modules that are unchanged, though something that they import is not; or that it
 * kept, and had no time to verify.
 */
const metadataThatHolds = (
  { project, loader }: RunningVersion,
  { stale, changed, edited }: Renewal,
): Metadata =>
  new Map(
    [...project.run.recorded].filter(([file]) => {
      const path = join(project.source, file);
      return loader.files.has(path) ? stale.has(path) && !changed.has(path) : !edited.has(path);
    }),
  );

/** Whether `file` counts for nothing but its code. */
const isModule = (file: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) && !basename(file).startsWith('fwk.config.');

const listed = (kernel: Kernel): string =>
  kernel
    .entries()
    .map(({ kind, file }) => `${kind} ${file}`)
    .join('\n');
