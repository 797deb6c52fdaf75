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
  /** The file was named without a ref to compare it with, so all of it counts as changed. */
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
  const base = await baseOf(root, since);
  const tracked = await git(root, 'diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', base, '--');
  const others = ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/'];
  const changes: Change[] = [];
  for (const name of new Set(`${tracked}${await git(root, ...others)}`.split('\0').filter(Boolean).sort())) {
    const file = path.posix.relative(`/${prefix}`, `/${name}`);
    const before = await git(root, 'show', `${base}:${name}`).catch(() => undefined);
    const after = textOf(root, file);
    if (before !== after && (files.length === 0 || named.includes(file)))
      changes.push({ file, before, after, isWhole: false });
  }
  return { base, changes };
}

/** The commit where the change began. Later commits on `since` aren't a part of the change. */
async function baseOf(root: string, since: string): Promise<string> {
  try {
    return (await git(root, 'merge-base', '--end-of-options', since, 'HEAD')).trim();
  } catch (error) {
    // No common commit is an error without a message.
    if (error instanceof NotKnown && error.message !== '') throw error;
    return (await git(root, 'rev-parse', '--verify', '--end-of-options', `${since}^{commit}`)).trim();
  }
}

async function wholeFile(root: string, file: string): Promise<Change> {
  const after = textOf(root, file);
  const before = after ?? (await git(root, 'show', `HEAD:./${file}`).catch(() => undefined));
  if (before !== undefined) return { file, before, after, isWhole: true };
  throw new NotKnown(
    `${file} is not there, nor in the last commit. Name a file or a directory by its path from here, or say --since <ref>.`,
  );
}

/** The files that an operand names, relative to the root. A directory names all files below it. */
function filesNamed(root: string, operand: string): readonly string[] {
  const paths = [path.resolve(operand), path.resolve(root, operand)];
  const found = paths.find((one) => statSync(one, { throwIfNoEntry: false })) ?? path.resolve(operand);
  const name = path.relative(root, found).split(path.sep).join('/');
  const isDirectory = statSync(found, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? filesBelow(found).map((file) => path.posix.join(name, file)) : [name];
}

/** Rejects with the error output of git. The command takes no lock that another git command waits for. */
async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  try {
    return (await promisify(execFile)('git', args, { cwd, env, maxBuffer: Number.POSITIVE_INFINITY })).stdout;
  } catch (thrown) {
    const { code, stderr = '' } = thrown as { readonly code?: unknown; readonly stderr?: string };
    const missing =
      'git cannot be run: it is not installed, or not in PATH. Install it, or name the files that changed.';
    throw new NotKnown(code === 'ENOENT' ? missing : stderr.trim());
  }
}

/** The path of a file in the source directory. */
export const sourceOf = ({ root, source }: Pick<Project, 'root' | 'source'>, file: string): string =>
  path.relative(source, path.join(root, file)).split(path.sep).join('/');
