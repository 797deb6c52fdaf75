import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Content codings of precompressed files (RFC 9110 §8.4.1), the one to prefer first, and what their names end in. */
export const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'zstd', suffix: '.zst' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number];

export interface PublicFile {
  /** Its name and those of the directories it is in, below the directory that is served. */
  readonly names: readonly string[];
  /** Those in which it lies beside itself, precompressed. */
  readonly encodings: readonly Encoding[];
}

/** The file of a URL path: its decoded segments, and whether it ends with a slash. A directory stands for its index.html. */
export type FindFile = (segments: readonly string[], slash: boolean) => PublicFile | undefined;

export const finder = (directory: string): FindFile => byIndex((names) => fileAt(directory, names));

/** Finds what was on disk when it was made; what is not there costs no look at the disk. */
export function scanned(directory: string): FindFile {
  const files = new Map<string, PublicFile>();
  walk([], []);
  return byIndex((names) => files.get(names.join('/')));

  function walk(names: readonly string[], above: readonly string[]): void {
    const real = realpathSync(join(directory, ...names));
    // A link to a directory that it is in would go on for ever.
    if (above.includes(real)) return;
    for (const name of readdirSync(real)) {
      const inside = [...names, name];
      const file = fileAt(directory, inside);
      if (file) files.set(inside.join('/'), file);
      else if (isDirectory(directory, inside)) walk(inside, [...above, real]);
    }
  }
}

const byIndex =
  (at: (names: readonly string[]) => PublicFile | undefined): FindFile =>
  (segments, slash) => {
    if (!segments.every(isServed)) return undefined;
    return (slash ? undefined : at(segments)) ?? at([...segments, 'index.html']);
  };

/** What may be sent of that name in `directory`, which it does not leave, nor shows a hidden file. */
export function fileAt(directory: string, names: readonly string[]): PublicFile | undefined {
  if (!isInside(directory, names, (stats) => stats.isFile())) return undefined;
  const others = names.slice(0, -1);
  const last = names.at(-1);
  const encodings = ENCODINGS.filter(({ suffix }) =>
    isInside(directory, [...others, `${last}${suffix}`], (stats) => stats.isFile()),
  );
  return { names, encodings };
}

const isDirectory = (directory: string, names: readonly string[]): boolean =>
  isInside(directory, names, (stats) => stats.isDirectory());

/** Whether something of that kind is there, and a link to it leads neither out of the directory nor to a hidden file. */
function isInside(directory: string, names: readonly string[], isKind: (stats: Stats) => boolean): boolean {
  try {
    const real = realpathSync(join(directory, ...names));
    const inside = relative(realpathSync(directory), real).split(sep);
    const stats = statSync(real);
    return names.every(isServed) && inside.every(isServed) && isKind(stats);
  } catch {
    // Gone, unreadable, a link to nothing or in a circle: nothing is there.
    return false;
  }
}

/** Names that are served: no hidden file but `.well-known` (RFC 8615), nothing that is more than one name. */
const isServed = (name: string): boolean =>
  (!name.startsWith('.') || name === '.well-known') && !/[/\\\0]/.test(name);
