import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type Entry,
  type Kernel,
  type Metadata,
  type Project,
  type ProjectPaths,
  type ReloadObserver,
  type Resolved,
  type Runtime,
  StaleMetadata,
  toPosix,
  type Verification,
} from '../../kernel/index.js';
import { modulePath, type Renewal, type SourceLoader, sourceLoader } from '../../loader/index.js';
import { VIEWS } from '../../plugins/views/index.js';
import { wrappedExport } from '../checks/wrapped-export.js';
import { configPaths } from '../config.js';
import { type MetadataHost, readStoredMetadata } from './remembered-metadata.js';

export interface VersionRun {
  readonly loader: SourceLoader;
  readonly previous?: Project;
  readonly metadata?: Metadata | undefined;
  /** The metadata comes from an earlier process, and has to be verified. */
  readonly isRemembered?: boolean;
}

export interface VersionHost extends MetadataHost {
  open(paths: ProjectPaths, run: VersionRun): Promise<Kernel>;
  /** Write the types that are generated from the project. A file that cannot be written is reported, and rejects nothing. */
  writeTypes(kernel: Kernel, paths: ProjectPaths): Promise<void>;
}

export interface RunningVersion extends Resolved {
  /** The files of the project. The kernel itself would keep the version before in memory. */
  readonly entries: readonly Entry[];
  readonly plugins: Kernel['plugins'];
  readonly loader: SourceLoader;
  /** Whether the types on disk are of a later version, which never served. */
  hasLaterTypes?: boolean;
}

/** Serve the first version, of `loader`. Calls `activated` when it answers, and `answering` soon after, if metadata is unverified. */
export async function serveFirst(
  host: VersionHost,
  paths: ProjectPaths,
  runtime: Runtime,
  loader: SourceLoader,
  observer: ReloadObserver,
  { activated, answering }: { readonly activated: () => void; readonly answering: (kernel: Kernel) => void },
): Promise<RunningVersion> {
  const metadata = readStoredMetadata(paths, host);
  const open = (run: { metadata?: Metadata; isRemembered?: true }) => host.open(paths, { loader, ...run });
  const kernel = await open({ metadata, isRemembered: true });
  let types: Promise<void> | undefined;
  // After the requests that waited for this version.
  const writeTypes = () => (types ??= setImmediate().then(() => host.writeTypes(kernel, paths)));
  const onActivate = (verification: Verification) => {
    observer.onActivate(verification);
    activated();
    writeTypes().then(metadata.size > 0 ? () => answering(kernel) : undefined, () => {});
  };
  try {
    return await serveOrRetry(kernel, () => open({}), loader, runtime, { ...observer, onActivate });
  } finally {
    await writeTypes();
  }
}

/** Serve the version of `kernel`, or if its metadata is stale, of `openCertain`, with the same list of files. */
async function serveOrRetry(
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

/** The loader after `files` were saved. A saved `.env` file makes every module stale, since any module may read the environment. */
export const renew = async (
  { loader }: RunningVersion,
  root: string,
  files: readonly string[],
): Promise<Renewal> =>
  files.some((file) => basename(file).startsWith('.env'))
    ? {
        loader: sourceLoader(root, 'all'),
        stale: new Set(loader.files.keys()),
        changed: new Set(loader.files.keys()),
        edited: new Set(files),
      }
    : loader.renew(files);

/** Make the version after `edit` and start it. Undefined if it would behave as `current` does. */
export async function serveNext(
  host: VersionHost,
  current: RunningVersion,
  { files, renewal }: { readonly files: readonly string[]; readonly renewal: Renewal },
  paths: ProjectPaths,
  runtime: Runtime,
  observer: ReloadObserver,
): Promise<RunningVersion | undefined> {
  const { entries: before, project: previous } = current;
  const { loader, stale } = renewal;
  // The config creates the plugins, so they are new if the config or a module that it imports has changed.
  const arePluginsKept = !configPaths(paths.source).some((file) => stale.has(file));
  const areModules = arePluginsKept && files.every((file) => isModule(file, paths));
  const isThere = previous.source === paths.source;
  const open = (metadata?: Metadata) => host.open(paths, { loader, previous, metadata });
  const kernel = await open(isThere ? metadataThatHolds(current, renewal) : undefined);
  // Importing the config may take long: the next edit may already be served.
  observer.signal.throwIfAborted();
  const isKept = isThere && areModules && files.every((file) => isKnown(file, current, kernel));
  const entries = kernel.entries(isKept ? before : undefined);
  const isListed = isThere && (entries === before || listed(entries) === listed(before));
  const isSame =
    stale.size === 0 &&
    isListed &&
    areModules &&
    !files.some((file) => isUnverified(current, file) || isMisplaced(file, current));
  const haveTypesChanged = !isListed || !areModules;
  if (haveTypesChanged || current.hasLaterTypes) await host.writeTypes(kernel, paths);
  current.hasLaterTypes = haveTypesChanged;
  if (isSame && previous.run.staleNotices.length === 0) return undefined;
  return serveOrRetry(kernel, () => open(), loader, runtime, observer);
}

/** Whether `file` was listed and still exists. Editors delete and recreate files, so it may be imported, but not listed. */
function isKnown(file: string, { entries, loader, project }: RunningVersion, kernel: Kernel): boolean {
  // Not `existsSync`: on a network drive or a shared directory, it may still find a file that is gone.
  if (!loader.files.has(file) || !statSync(file, { throwIfNoEntry: false })) return false;
  const path = toPosix(relative(project.source, file));
  // Most saved files are in the list, and `claims` takes longer.
  return entries.some((entry) => entry.file === path) || !kernel.claims(path);
}

const isUnverified = ({ project, loader }: RunningVersion, file: string): boolean =>
  !loader.files.has(file) && project.run.recorded.has(toPosix(relative(project.source, file)));

/** Whether no module imports `file`, although a wrapper made its default export. The checks of the next version report it. */
const isMisplaced = (file: string, { loader }: RunningVersion): boolean =>
  !loader.files.has(file) && existsSync(file) && wrappedExport(readFileSync(file, 'utf8')) !== undefined;

/** Metadata of the version before that still holds: of unchanged modules that import a changed one, and of files it did not verify yet. */
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

/** Whether only the code in `file` matters. The config matters for its settings, and a template for its name. */
const isModule = (file: string, { root }: ProjectPaths): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) &&
  !basename(file).startsWith('fwk.config.') &&
  !file.startsWith(join(root, VIEWS) + sep);

const listed = (entries: readonly Entry[]): string =>
  entries.map(({ kind, file }) => `${kind} ${file}`).join('\n');
