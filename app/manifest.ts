import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Metadata } from '../kernel/index.js';
import { CODE_CACHE } from './code-cache.js';

export const MANIFEST = 'fwk.manifest.json';

interface Manifest {
  /** The stamps that show whether a module or directory has changed. Without stamps, nothing is listed or read. */
  readonly stamps: Readonly<Record<string, Stamp>>;
  /** Digest of the contents of the modules: it stays valid if the tree is copied. */
  readonly digest: string;
  /** Claimed files that are neither modules nor JSON. */
  readonly others?: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A module's size and time; the time of a directory, which changes with its list of files; for the root, the names in it. */
type Stamp = readonly [bytes: number, milliseconds: number] | number | string;

export interface StoredBuild {
  readonly metadata: Metadata;
  readonly files?: readonly string[];
}

/** The manifest that a build wrote for the files in `source`: empty if there is none, or if the files have changed since. */
export function readManifest(source: string): StoredBuild {
  const file = join(source, MANIFEST);
  if (!existsSync(file)) return { metadata: new Map() };
  const { stamps = {}, digest, others = [], metadata = {} } = parse(readFileSync(file, 'utf8'));
  const known = new Map(Object.entries(metadata));
  const paths = Object.keys(stamps);
  if (paths.length > 0 && paths.every((path) => isSame(stamps[path], stampOf(source, path))))
    return { metadata: known, files: paths.filter((path) => !path.endsWith('/')) };
  const { paths: found } = treeOf(source, new Set(others));
  return { metadata: digest === digestOf(source, found) ? known : new Map() };
}

/** A record that another version wrote may lack any member. */
function parse(text: string): Partial<Manifest> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Manifest>;
  } catch {
    return {};
  }
}

/** The record of the tree in `source`. `claimed` are the files of the project, relative to `source`. */
export function manifestOf(source: string, metadata: Metadata, claimed: readonly string[]): string {
  const others = claimed.filter((file) => !LISTED.test(file));
  const { paths, hasLinks } = treeOf(source, new Set(others));
  // The target of a link may change while the link stays the same.
  const stamps = hasLinks ? [] : paths.map((path) => [path, stampOf(source, path)]);
  const digest = digestOf(source, paths);
  const manifest: Manifest = {
    stamps: Object.fromEntries(stamps),
    digest,
    ...(others.length > 0 ? { others } : {}),
    metadata: Object.fromEntries(metadata),
  };
  return `${JSON.stringify(manifest)}\n`;
}

const LISTED = /\.(m?js|json)$/;

function treeOf(
  source: string,
  others: ReadonlySet<string>,
): { readonly paths: readonly string[]; readonly hasLinks: boolean } {
  const paths: string[] = [];
  let hasLinks = false;
  const visit = (directory: string): void => {
    paths.push(directory);
    const dirents = readdirSync(join(source, directory), { withFileTypes: true });
    for (const dirent of dirents.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = directory === ROOT ? dirent.name : directory + dirent.name;
      hasLinks ||= dirent.isSymbolicLink();
      if (dirent.isDirectory()) {
        if (dirent.name !== 'node_modules') visit(`${path}/`);
      } else if ((LISTED.test(path) || others.has(path)) && path !== MANIFEST) paths.push(path);
    }
  };
  visit(ROOT);
  return { paths, hasLinks };
}

const ROOT = './';

/** The root's time also changes with files that fwk writes. */
function stampOf(source: string, path: string): Stamp | undefined {
  if (path === ROOT)
    return readdirSync(source)
      .filter((name) => name !== MANIFEST && name !== CODE_CACHE)
      .sort()
      .join('/');
  try {
    // `join` would take as long as all other work here.
    const stats = statSync(`${source}/${path}`);
    return stats.isDirectory() ? stats.mtimeMs : [stats.size, stats.mtimeMs];
  } catch {
    return undefined;
  }
}

function isSame(built: Stamp | undefined, now: Stamp | undefined): boolean {
  return Array.isArray(built) && Array.isArray(now)
    ? built[0] === now[0] && built[1] === now[1]
    : built === now;
}

/** A module may re-export from any other module, so any change invalidates all metadata. */
function digestOf(source: string, paths: readonly string[]): string {
  // Loaded lazily: only a build and some starts in production need it, and it takes 2 ms.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const path of paths)
    if (!path.endsWith('/')) hash.update(`${path}\n`).update(readFileSync(join(source, path)));
  return hash.digest('base64');
}
