import { existsSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { configPaths } from '../../app/load-config.js';
import {
  type Entry,
  type Kernel,
  type Metadata,
  modulePath,
  type ProjectPaths,
  type ReloadObserver,
  type Renewal,
  type Resolved,
  type Runtime,
  type SourceLoader,
  StaleMetadata,
  slashed,
  sourceLoader,
  type Verification,
} from '../../kernel/internal.js';
import { VIEWS } from '../../plugins/views/index.js';
import { generateBeside } from '../files/generate.js';
import { openSources } from '../project.js';
import { terminalLogger } from '../terminal/logger.js';
import { recall } from './remembered.js';

/** A version that serves, and what the next is made from. */
export interface RunningVersion extends Resolved {
  /** The project's files. Not its kernel, which has the version before. */
  readonly entries: readonly Entry[];
  /** Those that are switched on, by name. */
  readonly plugins: Kernel['plugins'];
  readonly loader: SourceLoader;
  /** Whether the types on disk are of a later version, which came to nothing. */
  hasLaterTypes?: boolean;
}

/** Files that were saved, and the loader made of them. */
interface Edit {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  readonly renewal: Renewal;
}

/**
 * Make the first version, with `loader`, and serve it. `activated` is called when it begins to answer, `answering` a little later, where
 * that is before all of it is verified.
 */
export async function serveFirst(
  paths: ProjectPaths,
  runtime: Runtime,
  loader: SourceLoader,
  observer: ReloadObserver,
  { activated, answering }: { readonly activated: () => void; readonly answering: (kernel: Kernel) => void },
): Promise<RunningVersion> {
  const metadata = recall(paths);
  const open = (run: { metadata?: Metadata; isRemembered?: true }) =>
    openSources(paths, { logger: terminalLogger(paths.root), loader, ...run });
  const kernel = await open({ metadata, isRemembered: true });
  let types: Promise<void> | undefined;
  // Requests have waited for long enough.
  const writeTypes = () => (types ??= setImmediate().then(() => generateBeside(kernel, paths, 'types')));
  const onActivate = (verification: Verification) => {
    observer.onActivate(verification);
    activated();
    writeTypes().then(metadata.size > 0 ? () => answering(kernel) : undefined, () => {});
  };
  try {
    return await serveWhole(kernel, () => open({}), loader, runtime, { ...observer, onActivate });
  } finally {
    await writeTypes();
  }
}

/**
 * Serve what `kernel` makes; where the metadata that it has of files turns out to be wrong, what `openCertain` makes of the same files
 * without. One list of them is for all: a file that comes meanwhile is a change, which is served after this.
 */
async function serveWhole(
  kernel: Kernel,
  openCertain: () => Promise<Kernel>,
  loader: SourceLoader,
  runtime: Runtime,
  observer: ReloadObserver,
): Promise<RunningVersion> {
  const entries = kernel.entries();
  const serve = async (one: Kernel): Promise<RunningVersion> => ({
    entries: one.entries(entries),
    plugins: one.plugins,
    loader,
    ...(await one.serve(runtime, observer)),
  });
  try {
    return await serve(kernel);
  } catch (thrown) {
    if (!(thrown instanceof StaleMetadata)) throw thrown;
    return serve(await openCertain());
  }
}

/** The loader after `files` were saved. A new environment may change whatever reads it, which is anything. */
export const renew = async (
  { loader }: RunningVersion,
  root: string,
  files: readonly string[],
): Promise<Renewal> =>
  files.some((file) => basename(file).startsWith('.env'))
    ? {
        loader: sourceLoader(root, 'all'),
        stale: loader.files,
        changed: loader.files,
        edited: new Set(files),
      }
    : loader.renew(files);

/** Make the version after `edit` and start it; undefined if it would do what `current` does. */
export async function serveNext(
  current: RunningVersion,
  { files, renewal }: Edit,
  paths: ProjectPaths,
  runtime: Runtime,
  observer: ReloadObserver,
): Promise<RunningVersion | undefined> {
  const { entries: before, project: previous } = current;
  const { loader, stale } = renewal;
  // Plugins are read from the config, and it reads them again where something that it imports has changed.
  const arePluginsKept = !configPaths(paths.source).some((file) => stale.has(file));
  const areModules = arePluginsKept && files.every((file) => isModule(file, paths));
  const isThere = previous.source === paths.source;
  const open = (metadata?: Metadata) =>
    openSources(paths, { logger: terminalLogger(paths.root), loader, previous, metadata });
  const kernel = await open(isThere ? metadataThatHolds(current, renewal) : undefined);
  // A config may take long to import, and the next edit may be served by now.
  observer.signal.throwIfAborted();
  const isKept = isThere && areModules && files.every((file) => isKnown(file, current, kernel));
  const entries = kernel.entries(isKept ? before : undefined);
  const isListed = isThere && (entries === before || listed(entries) === listed(before));
  const isSame =
    stale.size === 0 && isListed && areModules && !files.some((file) => isUnverified(current, file));
  const haveTypesChanged = !isListed || !areModules;
  if (haveTypesChanged || current.hasLaterTypes) await generateBeside(kernel, paths, 'types');
  current.hasLaterTypes = haveTypesChanged;
  if (isSame && previous.run.staleNotices.length === 0) return undefined;
  return serveWhole(kernel, () => open(), loader, runtime, observer);
}

/**
 * Whether `file` was there before and still is, so that the source directory is what it was. That it was imported does not say
 * that it was found: it may have been away between the two, as editors have it.
 */
function isKnown(file: string, { entries, loader, project }: RunningVersion, kernel: Kernel): boolean {
  if (!loader.files.has(file) || !existsSync(file)) return false;
  const path = slashed(relative(project.source, file));
  // In this order, since most saves are of what was found.
  return entries.some((entry) => entry.file === path) || !kernel.claims(path);
}

/** Whether a version keeps metadata of `file` that nobody has verified. */
const isUnverified = ({ project, loader }: RunningVersion, file: string): boolean =>
  !loader.files.has(file) && project.run.recorded.has(slashed(relative(project.source, file)));

/**
 * The metadata that the version before had of modules that are unchanged, though something that they import is not; or that it
 * kept, and had no time to verify.
 */
const metadataThatHolds = (
  { project, loader }: RunningVersion,
  { stale, changed, edited }: Renewal,
): Metadata => {
  const { files } = loader;
  const known = new Map<string, unknown>();
  for (const [file, metadata] of project.run.recorded) {
    const path = modulePath(project.source, file);
    if (files.has(path) ? stale.has(path) && !changed.has(path) : !edited.has(path))
      known.set(file, metadata);
  }
  return known;
};

/** Whether `file` counts for nothing but its code: a template, whatever it is written in, counts by its name. */
const isModule = (file: string, { root }: ProjectPaths): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) &&
  !basename(file).startsWith('fwk.config.') &&
  !file.startsWith(join(root, VIEWS) + sep);

const listed = (entries: readonly Entry[]): string =>
  entries.map(({ kind, file }) => `${kind} ${file}`).join('\n');
