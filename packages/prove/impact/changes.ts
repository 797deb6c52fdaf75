import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { BootError, type Project } from 'fwkit/plugin';
import { filesBelow, textOf } from '../graph/modules.js';

/** A changed file, relative to the root of the project. `before` is undefined for a new file, `after` for a deleted one. */
export interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Whether all of it counts as changed, because it was named and not compared. */
  readonly isWhole: boolean;
}

export interface Changes {
  readonly base: string | undefined;
  readonly changes: readonly Change[];
}

export class NotKnown extends BootError {
  constructor(message: string) {
    super({ message, code: 'FWK866' });
  }
}

/** `files`: relative to the current directory or to the root; `since`: a ref of git. Rejects with a NotKnown. */
export async function findChanges(
  root: string,
  { files, since }: { readonly files: readonly string[]; readonly since: string | undefined },
): Promise<Changes> {
  const named = files.flatMap((file) => filesNamed(root, file));
  if (since === undefined)
    return { base: undefined, changes: await Promise.all(named.map((file) => wholeFile(root, file))) };
  const prefix = (await git(root, 'rev-parse', '--show-prefix')).trim();
  // Later commits on `since` are no part of the change.
  const common = git(root, 'merge-base', '--end-of-options', since, 'HEAD').catch(async (error: NotKnown) => {
    if (error.message === '')
      return git(root, 'rev-parse', '--verify', '--end-of-options', `${since}^{commit}`);
    if (!(await git(root, 'rev-parse', '--is-shallow-repository')).startsWith('true')) throw error;
    throw new NotKnown(
      `${error.message}\nThis clone has a part of the history only. Fetch the rest, or the ref: git fetch --depth=1 origin ${since}:${since}`,
    );
  });
  const base = (await common).trim();
  const tracked = await git(root, 'diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', base, '--');
  const untracked = await git(
    root,
    'ls-files',
    '--others',
    '--exclude-standard',
    '--full-name',
    '-z',
    '--',
    ':/',
  );
  const changes: Change[] = [];
  for (const name of new Set(`${tracked}${untracked}`.split('\0').filter(Boolean).sort())) {
    const file = path.posix.relative(`/${prefix}`, `/${name}`);
    const before = await git(root, 'show', `${base}:${name}`).catch(() => undefined);
    const after = textOf(root, file);
    if (before !== after && (files.length === 0 || named.includes(file)))
      changes.push({ file, before, after, isWhole: false });
  }
  return { base, changes };
}

/** A named file counts as a whole. Git knows the text of a file that is gone. */
async function wholeFile(root: string, file: string): Promise<Change> {
  const after = textOf(root, file);
  const before = after ?? (await git(root, 'show', `HEAD:./${file}`).catch(() => undefined));
  if (before !== undefined) return { file, before, after, isWhole: true };
  throw new NotKnown(
    `${file} is not there, nor in the last commit. Name a file or a directory by its path from here, or say --since <ref>.`,
  );
}

/** The files that an operand names, relative to the root: all files below a directory. */
function filesNamed(root: string, operand: string): readonly string[] {
  const paths = [path.resolve(operand), path.resolve(root, operand)];
  const found = paths.find((one) => statSync(one, { throwIfNoEntry: false })) ?? path.resolve(operand);
  const name = path.relative(root, found).split(path.sep).join('/');
  const isDirectory = statSync(found, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? filesBelow(found).map((file) => path.posix.join(name, file)) : [name];
}

/** Rejects with what git wrote to stderr. It takes no lock that another git command would wait for. */
async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  try {
    return (await promisify(execFile)('git', args, { cwd, env, maxBuffer: Number.POSITIVE_INFINITY })).stdout;
  } catch (thrown) {
    const { code, stderr } = thrown as { readonly code?: unknown; readonly stderr?: string };
    const missing =
      'git cannot be run: it is not installed, or not in PATH. Install it, or name the files that changed.';
    throw new NotKnown(code === 'ENOENT' ? missing : (stderr ?? '').trim());
  }
}

/** The path of a file in the source directory. */
export const sourceOf = ({ root, source }: Pick<Project, 'root' | 'source'>, file: string): string =>
  path.relative(source, path.join(root, file)).split(path.sep).join('/');
