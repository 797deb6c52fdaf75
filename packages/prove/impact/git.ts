import { execFile } from 'node:child_process';

/** What git says that it cannot do, in its own words. */
export class GitError extends Error {}

/** The repository that a directory is in. All paths are relative to the top of its working tree, with forward slashes. */
export class Git {
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
