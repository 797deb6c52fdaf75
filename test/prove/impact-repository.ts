import { execFileSync } from 'node:child_process';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { conventionDirectories } from '../../app/builtins.js';
import { locate } from '../../app/locate.js';
import { openSources, runFor } from '../../cli/project.js';
import { answer } from '../../packages/prove/impact/command.js';
import type { Impact } from '../../packages/prove/impact/compose.js';
import { type Ended, fwk } from '../harness/fwk.js';
import { type Files, type Project, project } from '../harness/project.js';

/** A project in a repository of its own, with all of it committed on the branch `main`. */
export interface Repository extends Project {
  git(...args: string[]): string;
  /** Commit all there is. */
  commit(): void;
  impact(...args: string[]): Promise<Ended>;
  /** The report, by what the command does in this process. */
  report(asked: Asked): Promise<Impact>;
  /** The report of changes since the last commit, which are undone then. */
  after(changes: Changes, asked?: Asked): Promise<Impact>;
  /** The change of a file that has `from`. */
  edited(name: string, from: string | RegExp, to: string): Changes;
  /** Undo what is not committed. */
  restore(): void;
}

/** By the name of a file, its new text; undefined deletes it. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** What is asked: flags of the command, and files below the root. */
export interface Asked {
  readonly since?: string;
  readonly data?: boolean;
  readonly files?: readonly string[];
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

/** The same with the repository above the project, at `top`; `isNew`: it is made. */
export function inRepository(made: Project, top: string, isNew = true): Repository {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: top, env: ENV, encoding: 'utf8', stdio: 'pipe' });
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
  };
  const impact = (...args: string[]): Promise<Ended> => fwk(made, 'impact', ...args);
  if (isNew) {
    git('init', '--quiet', '--initial-branch', 'main');
    commit();
  }
  const report = ({ files = [], ...flags }: Asked): Promise<Impact> =>
    answer({
      flags,
      operands: files.map((file) => path.join(made.root, file)),
      paths: () => locate(made.root, conventionDirectories),
      open: async (options) =>
        openSources(locate(made.root, conventionDirectories), runFor('impact', options ?? {})),
    });
  const restore = (): void => {
    git('reset', '--quiet', '--hard');
    git('clean', '--quiet', '--force', '-d');
  };
  return {
    ...made,
    git,
    commit,
    impact,
    report,
    async after(changes, asked = {}) {
      for (const [name, text] of Object.entries(changes))
        if (text === undefined) made.remove(name);
        else made.write(name, text);
      try {
        return await report({ since: 'HEAD', ...asked });
      } finally {
        restore();
      }
    },
    edited(name, from, to) {
      const text = made.read(name);
      assert.match(text, from);
      return { [name]: text.replace(from, to) };
    },
    restore,
  };
}

/** Labels of what is reached, those that are gone with a mark, and test files. */
export function told(impact: Impact): string[] {
  const groups = [impact.routes, impact.pages, impact.sockets, impact.tools, impact.jobs, impact.files];
  return [...groups.flat().map(({ label, isGone }) => (isGone ? `${label} (gone)` : label)), ...impact.tests];
}
