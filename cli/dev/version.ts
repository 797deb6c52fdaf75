import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  Disbelieved,
  type Facts,
  type Kernel,
  type Place,
  type Renewal,
  type Resolved,
  type Shell,
  type SourceLoader,
  type Succession,
  sourceLoader,
} from '../../kernel/host.js';
import { generateBeside } from '../files/generate.js';
import { openSources } from '../project.js';
import { terminalLogger } from '../terminal/logger.js';

/** A generation that serves, and what the next is made from. */
export interface Current extends Resolved {
  readonly kernel: Kernel;
  readonly loader: SourceLoader;
}

/** What came of files that were saved. */
interface Edit {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  readonly renewal: Renewal;
}

/** Make the first generation, with `loader`, and serve it. */
export async function serveFirst(
  place: Place,
  shell: Shell,
  loader: SourceLoader,
  succession: Succession,
): Promise<Current> {
  const kernel = await openSources(place, { logger: terminalLogger(place.root), loader });
  await generateBeside(kernel, place, 'types');
  return { ...(await kernel.serve(shell, succession)), kernel, loader };
}

/** The loader after `files` were saved. A new environment may change whatever reads it, which is anything. */
export const renew = async ({ loader }: Current, root: string, files: readonly string[]): Promise<Renewal> =>
  files.some((file) => basename(file).startsWith('.env'))
    ? { loader: sourceLoader(root), stale: loader.files, changed: loader.files, edited: new Set(files) }
    : loader.renew(files);

/** Make the generation after `edit` and have it take over; undefined if it would do what `current` does. */
export async function serveNext(
  current: Current,
  { files, renewal }: Edit,
  place: Place,
  shell: Shell,
  succession: Succession,
): Promise<Current | undefined> {
  const { kernel: before, project: previous } = current;
  const { loader, stale } = renewal;
  const areModules = files.every(isModule);
  // Where every file was known before and is still there, the source directory is what it was.
  const isKnown = (file: string) => current.loader.files.has(file) && existsSync(file);
  const isThere = previous.source === place.source;
  const entries = isThere && areModules && files.every(isKnown) ? before.entries : undefined;
  const open = (facts?: Facts) =>
    openSources(place, { logger: previous.logger, loader, previous, entries, facts });

  const kernel = await open(isThere ? factsThatHold(current, renewal) : undefined);
  const isListed = isThere && (kernel.entries === before.entries || listed(kernel) === listed(before));
  if (stale.size === 0 && isListed && areModules && previous.outdated.length === 0) return undefined;
  if (!isListed || !areModules) await generateBeside(kernel, place, 'types');
  try {
    return { ...(await kernel.serve(shell, succession)), kernel, loader };
  } catch (thrown) {
    if (!(thrown instanceof Disbelieved)) throw thrown;
    const certain = await open();
    return { ...(await certain.serve(shell, succession)), kernel: certain, loader };
  }
}

/**
 * What the generation before knew of modules that are as they were, though something that they import is not; or that it
 * believed, and had no time to check.
 */
const factsThatHold = ({ project, loader }: Current, { stale, changed, edited }: Renewal): Facts =>
  new Map(
    [...project.recorded].filter(([file]) => {
      const path = join(project.source, file);
      return loader.files.has(path) ? stale.has(path) && !changed.has(path) : !edited.has(path);
    }),
  );

/** Whether `file` counts for nothing but its code. */
const isModule = (file: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) && !basename(file).startsWith('fwk.config.');

const listed = (kernel: Kernel): string =>
  kernel.entries.map(({ kind, file }) => `${kind} ${file}`).join('\n');
