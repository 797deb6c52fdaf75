import { execFileSync } from 'node:child_process';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../harness/fwk.js';
import { type Files, type Project, project } from '../harness/project.js';

const GROUPS = ['routes', 'pages', 'sockets', 'tools', 'jobs', 'files'] as const;

/** An endpoint in a report. */
interface Listed {
  readonly label: string;
  readonly file: string;
  readonly kind: string;
  readonly why: string;
  readonly through?: string;
  readonly isGone?: true;
}

/** The part of `fwk impact --json` that tests read. */
export interface Report extends Readonly<Record<(typeof GROUPS)[number], readonly Listed[]>> {
  readonly version: 2;
  readonly changed: readonly {
    readonly file: string;
    readonly parts: readonly string[];
  }[];
  readonly everything: readonly string[];
  readonly problems: readonly string[];
  readonly tests: readonly string[];
  readonly total: Readonly<Record<'endpoints' | 'tests', number>>;
}

/** The new text of each file; undefined deletes the file. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** A project in a git repository, with everything committed on the branch `main`. */
export interface Repository extends Project {
  git(...args: string[]): string;
  commit(): void;
  /** Runs `fwk impact …args`. */
  run(...args: string[]): Promise<Ended>;
  /** The report of `fwk impact …args --json`. */
  impact(...args: string[]): Promise<Report>;
  /** The report of changes since the last commit, which are undone afterwards. */
  after(changes: Changes): Promise<Report>;
  /** The change that replaces `from` in a file. */
  edited(name: string, from: string | RegExp, to: string): Changes;
  restore(): void;
}

export const CONFIG = `import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [prove()] });
`;

const ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

export function repository(files: Files): Repository {
  const made = project({ 'fwk.config.ts': CONFIG, '.gitignore': '.fwk/\nnode_modules/\n', ...files });
  return inRepository(made, made.root);
}

/** The same for a project in a repository whose top directory is `top`; `isNew`: the repository does not exist yet. */
export function inRepository(made: Project, top: string, isNew = true): Repository {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: top, env: ENV, encoding: 'utf8', stdio: 'pipe' });
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
  };
  if (isNew) {
    git('init', '--quiet', '--initial-branch', 'main');
    commit();
  }
  const run = (...args: string[]): Promise<Ended> => fwk(made, 'impact', ...args);
  const impact = async (...args: string[]): Promise<Report> => {
    const { status, stdout, stderr } = await run(...args, '--json');
    assert.is(status, 0, stdout + stderr);
    return JSON.parse(stdout);
  };
  const restore = (): void => {
    git('reset', '--quiet', '--hard');
    git('clean', '--quiet', '--force', '-d');
  };
  return {
    ...made,
    git,
    commit,
    run,
    impact,
    restore,
    async after(changes) {
      write(made, changes);
      try {
        return await impact('--since', 'HEAD');
      } finally {
        restore();
      }
    },
    edited(name, from, to) {
      const text = made.read(name);
      assert.match(text, from);
      return { [name]: text.replace(from, to) };
    },
  };
}

/** Writes and deletes files of a project. */
export function write(made: Project, changes: Changes): void {
  for (const [name, text] of Object.entries(changes))
    if (text === undefined) made.remove(name);
    else made.write(name, text);
}

export const endpointsOf = (report: Report): readonly Listed[] => GROUPS.flatMap((group) => report[group]);

/** The labels of endpoints, with a mark if they are gone. */
export const labelsOf = (report: Report): readonly string[] =>
  endpointsOf(report).map(({ label, isGone }) => (isGone ? `${label} (gone)` : label));
