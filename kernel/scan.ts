import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Claims, Entry } from './claims.js';
import { BootError, messageOf, type Problem, type ProblemCode } from './errors/index.js';
import { type ProjectPaths, slashed } from './paths.js';

/** None that is hidden, declares, tests or measures. One expression, since V8 compiles each at every start. */
const MODULE = /^[^.].*(?<!\.(?:d|test|spec|bench))\.m?[jt]s$/;
/** Hidden, or of no convention. */
const SKIPPED = /^[._]|^node_modules$|^__tests__$/;

/**
 * Every module that somebody claims, sorted. Walks the claimed directories below `source`, once, unless it is known
 * which `files` are there. Throws a BootError with all that cannot be read.
 */
export function scan({ root, source }: ProjectPaths, claims: Claims, files?: readonly string[]): Entry[] {
  const { directories, hasTop } = claims;
  const problems: Problem[] = [];
  const report = (path: string, message: string, code: ProblemCode): undefined =>
    void problems.push({ file: slashed(relative(root, join(source, path))), message, code });
  const attempt: Attempt = (path, read) => {
    try {
      // Tens of thousands of plain paths: `join` takes longer than reading some of them.
      return read(`${source}/${path}`);
    } catch (cause) {
      // A claimed directory need not exist, and one may vanish while a project is being edited.
      if (cause instanceof Error && 'code' in cause && ABSENT.has(cause.code)) return undefined;
      const message = `cannot be read: ${messageOf(cause)}. Give this user the right to, or move away what is there.`;
      return report(path, message, 'FWK112');
    }
  };
  const entries: Entry[] = [];
  let last = '';
  let isSkipped = !hasTop;
  const found =
    files ??
    directories.reduce<string[]>((all, directory) => walk(directory, attempt, all), top(hasTop, attempt));
  for (const file of found) {
    const slash = file.lastIndexOf('/');
    const directory = file.slice(0, Math.max(slash, 0));
    if (directory !== last) {
      last = directory;
      const [first = '', ...below] = directory.split('/');
      isSkipped =
        directory === '' ? !hasTop : !directories.includes(first) || below.some((one) => SKIPPED.test(one));
    }
    if (isSkipped || !MODULE.test(file.slice(slash + 1))) continue;
    const kind = claims.kindOf(file, (message) => report(file, message, 'FWK111'));
    if (kind !== undefined) entries.push({ kind, file });
  }
  if (problems.length > 0) throw new BootError(problems);
  return entries.sort((a, b) => (a.file < b.file ? -1 : 1));
}

const ABSENT = new Set<unknown>(['ENOENT', 'ENOTDIR']);

/** The result of `read` for a path below the source directory; undefined where nothing is there, or it cannot be read. */
type Attempt = <T>(path: string, read: (path: string) => T) => T | undefined;

/** The files of the source directory itself, which is read where somebody claims one. */
const top = (hasTop: boolean, attempt: Attempt): string[] =>
  hasTop ? (attempt('', list) ?? []).filter((dirent) => !dirent.isDirectory()).map(({ name }) => name) : [];

/** Adds the files below `directory` to `found`. */
function walk(directory: string, attempt: Attempt, found: string[]): string[] {
  for (const dirent of attempt(directory, list) ?? []) {
    const path = `${directory}/${dirent.name}`;
    const isDirectory = dirent.isSymbolicLink() ? attempt(path, isDirectoryAt) : dirent.isDirectory();
    if (!isDirectory) found.push(path);
    else if (!SKIPPED.test(dirent.name)) walk(path, attempt, found);
  }
  return found;
}

const list = (directory: string): Dirent[] => readdirSync(directory, { withFileTypes: true });
const isDirectoryAt = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
