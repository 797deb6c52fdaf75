import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPort } from '../../../app/port.js';
import type { Finding } from '../../../kernel/internal.js';
import type { Rule } from '../subject.js';

/** Files that secrets are meant to be in. Those of a mode without `.local`, and examples, are for the repository. */
const SECRET_FILES = [
  '.env',
  '.env.local',
  '.env.development.local',
  '.env.test.local',
  '.env.production.local',
];

/** An environment that git shows to everybody. */
export const environment: Rule = ({ paths: { root } }) => {
  const there = SECRET_FILES.filter((file) => existsSync(join(root, file)));
  if (there.length === 0 || git(root, 'rev-parse', '--is-inside-work-tree') === undefined) return [];
  return there.flatMap((file) => [
    ...(git(root, 'ls-files', '--error-unmatch', file) === undefined ? [] : [committed(file)]),
    ...(git(root, 'check-ignore', '--no-index', file) === undefined ? [shown(file)] : []),
  ]);
};

const committed = (file: string): Finding => ({
  rule: 'env-committed',
  code: 'FWK213',
  file,
  message: 'is in the git repository: who can read that has its secrets.',
  fix: `Run git rm --cached ${file}, and replace the secrets: the history keeps them.`,
});

const shown = (file: string): Finding => ({
  rule: 'env-not-ignored',
  code: 'FWK213',
  file,
  message: 'is not ignored by git: the next commit of everything has its secrets.',
  fix: `Add ${file} to .gitignore.`,
  outputs: [{ path: '.gitignore', contents: `${file}\n`, ifExists: 'lines' }],
});

/** What git says; undefined where it says no, or is not there. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** Settings of the environment that keep production from starting. */
export const settings: Rule = () => {
  const { PORT, FWK_SECRET = '' } = process.env;
  const characters = FWK_SECRET.trim().length;
  return [
    ...(PORT !== undefined && readPort(PORT) === undefined ? [wrongPort(PORT)] : []),
    ...(characters > 0 && characters < MIN_SECRET_CHARACTERS ? [shortSecret(characters)] : []),
  ];
};

const wrongPort = (given: string): Finding => ({
  rule: 'port',
  code: 'FWK204',
  message: `PORT is ${JSON.stringify(given)}, which is no port: production does not start with it.`,
  fix: 'Make it a whole number from 0 to 65535.',
});

const shortSecret = (characters: number): Finding => ({
  rule: 'short-secret',
  code: 'FWK205',
  message: `FWK_SECRET has ${characters} characters, which is too short to protect anything.`,
  fix: `Make it at least ${MIN_SECRET_CHARACTERS} random ones: node -p "require('node:crypto').randomBytes(32).toString('hex')" prints one.`,
});

/** As peers/ refuses it where it is used. */
const MIN_SECRET_CHARACTERS = 32;
