import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BootError } from 'fwkit/plugin';
import { Git, GitError } from './git.js';

/** A file that differs from what it was. */
export interface Change {
  /** Relative to the root of the project, with forward slashes: `src/api/x.get.ts`, `../lib/y.ts`. */
  readonly file: string;
  /** What it was; undefined for a new one. */
  readonly before: Buffer | undefined;
  /** What it is; undefined where it is gone. */
  readonly after: Buffer | undefined;
  /** Whether `before` is not known: then all of the file counts as changed. */
  readonly isWhole: boolean;
}

/** What to ask for cannot be found out. The message is a sentence for people, or several lines of git's. */
export class NotKnown extends BootError {
  constructor(message: string) {
    super({ message, code: 'FWK866' });
  }
}

export interface Asked {
  /** Files and directories, relative to the current directory or to the root. */
  readonly files: readonly string[];
  /** A ref of git that the working tree is compared with. */
  readonly since: string | undefined;
}

/** The changes, and the commit that they began with, if there is one. Rejects with a NotKnown. */
export interface Changes {
  readonly base: string | undefined;
  readonly changes: readonly Change[];
}

/** What is to be found out of changes. */
export interface Wanted extends Changes {
  readonly since: string | undefined;
  /** Whether what shares data with the change is reached, too. */
  readonly withData: boolean;
}

export async function findChanges(root: string, { files, since }: Asked): Promise<Changes> {
  try {
    const named = files.flatMap((file) => resolveNamed(root, file));
    if (since === undefined) return { base: undefined, changes: await namedChanges(root, named) };
    const git = await Git.at(root);
    const base = await git.base(since);
    const changed = await git.changed(base);
    const asked =
      named.length === 0 ? changed : changed.filter((file) => isNamed(named, fromRoot(git, file)));
    return { base, changes: await compared(root, git, base, asked) };
  } catch (error) {
    throw error instanceof GitError ? new NotKnown(error.message) : error;
  }
}

async function compared(root: string, git: Git, base: string, files: readonly string[]): Promise<Change[]> {
  const before = await git.contents(base, files);
  return (
    files
      .map((name, index) => {
        const file = fromRoot(git, name);
        return { file, before: before[index], after: read(root, file), isWhole: false };
      })
      // The mode of a file alone says nothing of what is in it.
      .filter(({ before, after }) => !(before !== undefined && after !== undefined && before.equals(after)))
  );
}

/** Files that are named count as a whole; of those that are gone, git knows what they were. */
async function namedChanges(root: string, files: readonly string[]): Promise<Change[]> {
  const found = files.map((file) => ({ file, after: read(root, file) }));
  const gone = found.filter(({ after }) => after === undefined).map(({ file }) => file);
  const last = gone.length === 0 ? [] : await lastContents(root, gone);
  return found.map(({ file, after }) => ({
    file,
    before: after ?? last[gone.indexOf(file)],
    after,
    isWhole: true,
  }));
}

async function lastContents(root: string, files: readonly string[]): Promise<Buffer[]> {
  const git = await Git.at(root).catch(() => undefined);
  const contents = await git
    ?.contents(
      'HEAD',
      files.map((file) => path.posix.join(git.prefix, file)),
    )
    .catch(() => undefined);
  return files.map((file, index) => {
    const content = contents?.[index];
    if (content) return content;
    const where = git ? 'nor in the last commit' : 'and there is no git to ask what it was';
    throw new NotKnown(
      `${file} is not there, ${where}. Name a file or a directory by its path from here, or say --since <ref>.`,
    );
  });
}

const fromRoot = ({ prefix }: Git, file: string): string => path.posix.relative(`/${prefix}`, `/${file}`);

const isNamed = (named: readonly string[], file: string): boolean =>
  named.some((one) => one === file || one === '' || file.startsWith(`${one}/`));

/** The files that an operand names, relative to the root: all below it, where it is a directory. */
function resolveNamed(root: string, operand: string): string[] {
  const here = path.resolve(operand);
  const absolute = exists(here) ? here : path.resolve(root, operand);
  const name = (file: string) => path.relative(root, file).split(path.sep).join('/');
  if (!exists(absolute)) return [name(here)];
  return statSync(absolute).isDirectory() ? [...below(absolute)].map(name).sort() : [name(absolute)];
}

function* below(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (/^(node_modules|\.git|\.fwk)$/.test(entry.name)) continue;
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) yield* below(file);
    else yield file;
  }
}

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

function read(root: string, file: string): Buffer | undefined {
  try {
    return readFileSync(path.join(root, file));
  } catch {
    // Gone, or no file: a link to nothing, a submodule.
    return undefined;
  }
}
