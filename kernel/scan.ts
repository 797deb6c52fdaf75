import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Claims } from './claims.js';
import type { Entry } from './project.js';

/** None that is hidden, declares, tests or measures. One expression, since V8 compiles each at every start. */
const MODULE = /^[^.].*(?<!\.(?:d|test|spec|bench))\.m?[jt]s$/;
/** Hidden, or of no convention. */
const SKIPPED = /^[._]|^node_modules$|^__tests__$/;

/**
 * Every module that somebody claims, sorted. Walks the claimed directories below `source`, once, unless it is known
 * which `files` are there.
 */
export function scan(source: string, claims: Claims, files?: readonly string[]): Entry[] {
  const { directories } = claims;
  const entries: Entry[] = [];
  // Nothing is claimed outside of all directories.
  let last = '';
  let isSkipped = true;
  for (const file of files ?? directories.flatMap((directory) => [...walk(source, directory)])) {
    const slash = file.lastIndexOf('/');
    const directory = file.slice(0, Math.max(slash, 0));
    if (directory !== last) {
      last = directory;
      const [top = '', ...below] = directory.split('/');
      isSkipped = !directories.includes(top) || below.some((one) => SKIPPED.test(one));
    }
    if (isSkipped || !MODULE.test(file.slice(slash + 1))) continue;
    const kind = claims.kindOf(file);
    if (kind !== undefined) entries.push({ kind, file });
  }
  return entries.sort((a, b) => (a.file < b.file ? -1 : 1));
}

function* walk(source: string, directory: string): Generator<string> {
  for (const dirent of list(join(source, directory))) {
    const path = `${directory}/${dirent.name}`;
    if (!isDirectory(dirent, source, path)) yield path;
    else if (!SKIPPED.test(dirent.name)) yield* walk(source, path);
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
