import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../kernel/host.js';

/** Beside the compiled entry file. */
export const MANIFEST = 'fwk.manifest.json';

interface Manifest {
  /** Every module of the tree, with its size and the time of its last change: as long as that holds, none is read. */
  readonly listing: string;
  /** Digest of what is in them. It holds where the tree was copied, too. */
  readonly tree: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The facts of the compiled tree in `source`: none when it was not built by `fwk build`, or changed since. */
export function readFacts(source: string): Facts {
  const file = join(source, MANIFEST);
  if (!existsSync(file)) return new Map();
  const { listing, tree, facts } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const isSame = listing === listingOf(source) || tree === digestOf(source);
  return new Map(isSame ? Object.entries(facts) : []);
}

/** The text of the manifest for the compiled tree in `source`. */
export function writeFacts(source: string, facts: Facts): string {
  const manifest: Manifest = {
    listing: listingOf(source),
    tree: digestOf(source),
    facts: Object.fromEntries(facts),
  };
  return `${JSON.stringify(manifest, null, 1)}\n`;
}

function listingOf(source: string): string {
  let listing = '';
  for (const path of modulesIn(source)) {
    const { size, mtimeMs } = statSync(path);
    listing += `${path.slice(source.length)} ${size} ${mtimeMs}\n`;
  }
  return listing;
}

/** What a module exports may come from any other, so one that changed anywhere makes all facts void. */
function digestOf(source: string): string {
  // Not imported: every command would wait 2 ms for what only a build and some starts in production need.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const path of modulesIn(source))
    hash.update(`${path.slice(source.length)}\n`).update(readFileSync(path));
  return hash.digest('base64');
}

function* modulesIn(directory: string): Generator<string> {
  const dirents = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const dirent of dirents) {
    const path = join(directory, dirent.name);
    if (dirent.isDirectory()) {
      if (dirent.name !== 'node_modules') yield* modulesIn(path);
    } else if (/\.(m?js|json)$/.test(dirent.name) && dirent.name !== MANIFEST) yield path;
  }
}
