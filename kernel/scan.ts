import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Claims, Entry } from './claims.js';
import type { ProblemCode } from './codes.js';
import { type ProjectPaths, toPosix } from './environment.js';
import { BootError, messageOf, type Problem } from './errors.js';

/** Modules, except hidden files, declarations, tests and benchmarks. A single expression, because V8 compiles each at startup. */
const MODULE = /^[^.].*(?<!\.(?:d|test|spec|bench))\.m?[jt]s$/;
/** Files that only a claim of their extension matches. */
const NON_MODULE = /^[^.].*(?<!\.(?:test|spec|bench)\.[jt]sx|\.[cm]?[jt]s)$/;
/** Matches a nested directory that is skipped: hidden, except for `.well-known` (RFC 8615), named `_…`, or `node_modules`. */
const SKIPPED = /\/(?:_[^/]*|\.(?!well-known\/)[^/]*|node_modules)\//;

/**
 * Finds every claimed file, sorted by path. Walks the claimed directories below `source` once, unless `files` lists the files.
 * Adds everything else that it meets to `unclaimed`. Throws a BootError with everything that cannot be read.
 */
export function scan(
  { root, source }: ProjectPaths,
  claims: Claims,
  files?: readonly string[],
  unclaimed: string[] = [],
): Entry[] {
  const problems: Problem[] = [];
  const report = (path: string, message: string, code: ProblemCode): undefined =>
    void problems.push({ file: toPosix(relative(root, join(source, path))), message, code });
  const attempt: Attempt = (path, read) => {
    try {
      // No `join`: for tens of thousands of paths, it is slower than reading some of the directories.
      return read(`${source}/${path}`);
    } catch (cause) {
      // A claimed directory need not exist, and a directory may be deleted during the scan.
      if (cause instanceof Error && 'code' in cause && ABSENT.has(cause.code)) return undefined;
      const message = `cannot be read: ${messageOf(cause)}. Give this user read permission, or remove it.`;
      return report(path, message, 'FWK112');
    }
  };
  const entries: Entry[] = [];
  const takeFrom = (folder: string): TakeFile => {
    const kindOf = claims.within(folder, (file, message) => report(file, message, 'FWK111'));
    return (file, name) => {
      const isModule = MODULE.test(name);
      const kind = isModule || NON_MODULE.test(name) ? kindOf(file, name, isModule) : undefined;
      if (kind === undefined) unclaimed.push(file);
      else entries.push({ kind, file });
    };
  };
  const takes = new Map(claims.folders.map((folder) => [folder, takeFrom(folder)]));
  if (!files) for (const [folder, take] of takes) walk(folder.slice(0, -1), take, attempt);
  for (const file of files ?? [])
    if (!SKIPPED.test(file))
      takes.get(file.slice(0, file.indexOf('/') + 1))?.(file, file.slice(file.lastIndexOf('/') + 1));
  if (problems.length > 0) throw new BootError(problems);
  // Walking the folders in order already yields sorted files.
  return files || takes.has('') ? entries.sort((a, b) => (a.file < b.file ? -1 : 1)) : entries;
}

const ABSENT = new Set<unknown>(['ENOENT', 'ENOTDIR']);

/** Returns the result of `read` for a path below the source directory, or undefined if it is missing or unreadable. */
type Attempt = <T>(path: string, read: (path: string) => T) => T | undefined;

type TakeFile = (file: string, name: string) => void;

/** Calls `take` for each file and skipped directory below a directory, sorted by path. For '', only for the names directly in it. */
function walk(directory: string, take: TakeFile, attempt: Attempt): void {
  const prefix = directory && `${directory}/`;
  const names = attempt(directory, list)?.map((one) => {
    const { name } = one;
    const isLink = directory !== '' && one.isSymbolicLink();
    const isDirectory = one.isDirectory() || (isLink && attempt(prefix + name, isDirectoryAt));
    // With the slash, a directory sorts like the paths of its files.
    return isDirectory ? `${name}/` : name;
  });
  for (const name of names?.sort() ?? [])
    if (directory && name.endsWith('/') && !SKIPPED.test(`/${name}`))
      walk(prefix + name.slice(0, -1), take, attempt);
    else take(prefix + name, name);
}

const list = (directory: string): Dirent[] => readdirSync(directory, { withFileTypes: true });
const isDirectoryAt = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
