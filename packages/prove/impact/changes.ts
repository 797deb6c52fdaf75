import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BootError } from 'fwkit/plugin';

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

/** What git says that it cannot do, in its own words. */
class GitError extends Error {}

/** The repository that a directory is in. All paths are relative to the top of its working tree, with forward slashes. */
class Git {
  private constructor(
    private readonly directory: string,
    /** The directory, from the top: `apps/shop/`; '' where it is the top. */
    readonly prefix: string,
  ) {}

  /** Rejects with a GitError where there is no git, or no repository. */
  static async at(directory: string): Promise<Git> {
    const prefix = await git(directory, ['rev-parse', '--show-prefix']);
    return new Git(directory, prefix.toString().replace(/\n$/, ''));
  }

  /**
   * The commit that a change began with: where `ref` and HEAD part, so that what others did on `ref` meanwhile is no part of it. In
   * a clone whose history ends before that, `ref` itself. Rejects with a GitError for a ref that git does not know.
   */
  async base(ref: string): Promise<string> {
    // An ancestor is looked for first: git then names the ref that it does not know.
    const common = await this.#git('merge-base', '--end-of-options', ref, 'HEAD').catch(async (error) => {
      if (error instanceof GitError && error.message !== '') throw await this.#explained(error, ref);
      return '';
    });
    const found =
      common === '' ? this.#git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`) : common;
    return (await found).toString().trim();
  }

  /** The files of the working tree that differ from those of `commit`: edited, new or gone, committed or not. None that is ignored. */
  async changed(commit: string): Promise<string[]> {
    const [tracked, untracked] = await Promise.all([
      this.#git('diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-color', commit, '--'),
      this.#git('ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/'),
    ]);
    return [...new Set(`${tracked}${untracked}`.split('\0'))].filter((file) => file !== '').sort();
  }

  /** What files had in them at `commit`, in the order of `files`; undefined for one that was not there. */
  async contents(commit: string, files: readonly string[]): Promise<(Buffer | undefined)[]> {
    // A name with a line break would be read as two.
    const asked = files.filter((file) => !file.includes('\n'));
    if (asked.length === 0) return files.map(() => undefined);
    const input = asked.map((file) => `${commit}:${file}\n`).join('');
    const output = await git(this.directory, ['cat-file', '--batch'], input);
    const found = new Map<string, Buffer | undefined>();
    let at = 0;
    for (const file of asked) {
      const end = output.indexOf(0x0a, at);
      const [, type, size] = /^\S+ (\w+) (\d+)$/.exec(output.toString('utf8', at, end)) ?? [];
      at = end + 1;
      if (size === undefined) continue;
      if (type === 'blob') found.set(file, output.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return files.map((file) => found.get(file));
  }

  async #explained(error: GitError, ref: string): Promise<GitError> {
    const isShallow = (await this.#git('rev-parse', '--is-shallow-repository').catch(() => '')).toString();
    if (isShallow.trim() !== 'true') return error;
    return new GitError(
      `${error.message}\nThis clone has a part of the history only. Fetch the rest, or the ref: git fetch --depth=1 origin ${ref}:${ref}`,
    );
  }

  async #git(...args: string[]): Promise<string> {
    return (await git(this.directory, args)).toString();
  }
}

/** Rejects with a GitError that has what git wrote on stderr. */
function git(cwd: string, args: readonly string[], input?: string): Promise<Buffer> {
  // No lock is left to wait for by who commits meanwhile; sentences are those that people search for.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const options = { cwd, env, encoding: 'buffer', maxBuffer: Number.POSITIVE_INFINITY } as const;
  return new Promise((resolve, reject) => {
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      if (error.code === 'ENOENT')
        return reject(
          new GitError(
            'git cannot be run: it is not installed, or not in PATH. Install it, or name the files that changed.',
          ),
        );
      reject(new GitError(stderr.toString().trim()));
    });
    // One that ends before it has read all says so by its status.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
