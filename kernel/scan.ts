import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Claims } from './claims.js';
import type { Entry } from './project.js';

const MODULE = /\.m?[jt]s$/;
const NEVER = /\.(d|test|spec|bench)\.m?[jt]s$/;
const NEVER_DIRECTORY = new Set(['node_modules', '__tests__']);

/** Walk the claimed directories below `source`, once, and return every module that somebody claims, sorted. */
export function scan(source: string, claims: Claims): Entry[] {
  const entries: Entry[] = [];
  for (const directory of claims.directories) walk(directory);
  return entries.sort((a, b) => (a.file < b.file ? -1 : 1));

  function walk(directory: string): void {
    for (const dirent of list(join(source, directory))) {
      const { name } = dirent;
      if (name.startsWith('.') || NEVER_DIRECTORY.has(name)) continue;
      const path = `${directory}/${name}`;
      if (isDirectory(dirent, source, path)) {
        if (!name.startsWith('_')) walk(path);
      } else if (MODULE.test(name) && !NEVER.test(name)) {
        const kind = claims.kindOf(path);
        if (kind !== undefined) entries.push({ kind, file: path });
      }
    }
  }
}

function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    // A claimed directory need not exist, and one may vanish while a project is being edited.
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR'))
      return [];
    throw cause;
  }
}

function isDirectory(dirent: Dirent, source: string, path: string): boolean {
  if (!dirent.isSymbolicLink()) return dirent.isDirectory();
  return statSync(join(source, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}
