import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Codings of precompressed files with their extensions, preferred first (RFC 9110 §8.4.1). */
export const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'zstd', suffix: '.zst' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number];

export interface PublicFile {
  /** The names of its directories and its own, relative to the served directory. */
  readonly names: readonly string[];
  /** The codings of its precompressed variants in the same directory. */
  readonly encodings: readonly Encoding[];
}

/** Finds the file of a URL path from its segments and final slash. A directory stands for index.html. */
export type FindFile = (segments: readonly string[], slash: boolean) => PublicFile | undefined;

export const diskFinder = (directory: string): FindFile => byIndex((names) => fileAt(directory, names));

/** Finds the files that were on disk when it was created. A missing file costs no disk access. */
export function scannedFinder(directory: string): FindFile {
  const files = new Map<string, PublicFile>();
  walk([], []);
  return byIndex((names) => files.get(names.join('/')));

  function walk(names: readonly string[], above: readonly string[]): void {
    const real = realpathSync(join(directory, ...names));
    // A link to one of its parent directories would cause endless recursion.
    if (above.includes(real)) return;
    for (const name of readdirSync(real)) {
      const segments = [...names, name];
      const file = fileAt(directory, segments);
      if (file) files.set(segments.join('/'), file);
      else if (isDirectory(directory, segments)) walk(segments, [...above, real]);
    }
  }
}

const byIndex =
  (at: (names: readonly string[]) => PublicFile | undefined): FindFile =>
  (segments, slash) => {
    if (!segments.every(isServed)) return undefined;
    return (slash ? undefined : at(segments)) ?? at([...segments, 'index.html']);
  };

/** The file with that name in `directory`, if it may be sent: not hidden, and not outside. */
export function fileAt(directory: string, names: readonly string[]): PublicFile | undefined {
  if (!isServedEntry(directory, names, (stats) => stats.isFile())) return undefined;
  const others = names.slice(0, -1);
  const last = names.at(-1);
  const encodings = ENCODINGS.filter(({ suffix }) =>
    isServedEntry(directory, [...others, `${last}${suffix}`], (stats) => stats.isFile()),
  );
  return { names, encodings };
}

const isDirectory = (directory: string, names: readonly string[]): boolean =>
  isServedEntry(directory, names, (stats) => stats.isDirectory());

/** Whether such an entry exists, and is not a link to a hidden file or to a file outside of the directory. */
function isServedEntry(
  directory: string,
  names: readonly string[],
  isKind: (stats: Stats) => boolean,
): boolean {
  try {
    const real = realpathSync(join(directory, ...names));
    const segments = relative(realpathSync(directory), real).split(sep);
    const stats = statSync(real);
    return names.every(isServed) && segments.every(isServed) && isKind(stats);
  } catch {
    // The entry was deleted, is unreadable, or is a broken or circular link.
    return false;
  }
}

/** Names that are served: not hidden, except for `.well-known` (RFC 8615), and a single path segment. */
const isServed = (name: string): boolean =>
  (!name.startsWith('.') || name === '.well-known') && !/[/\\\0]/.test(name);
