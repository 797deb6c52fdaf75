import { execFileSync } from 'node:child_process';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dockerLines, included, isIgnored } from './docker-patterns.js';
import { type GitPattern, gitPatterns } from './git-pattern.js';

/**
 * The .dockerignore of the project in `root`: what git ignores, but for `needed`, and what an image must not have. The paths are
 * relative to the root. `never`: lines that stand last.
 */
export function dockerignore(root: string, needed: readonly string[], never = NEVER): string {
  const patterns = patternsIn(root);
  const isDirectory = (path: string): boolean => isDirectoryAt(join(root, path));
  const kept = needed.filter(
    (path) => existsSync(join(root, path)) && isIgnored(patterns, path, isDirectory(path)),
  );
  const ignored = without(never, dockerLines(patterns, isDirectory));
  const parts = [
    ['# What .gitignore names. Patterns of Docker begin at the root.', ...ignored],
    [
      '# What is needed all the same, or is committed.',
      ...new Set([...kept, ...committed(root)].map(included)),
    ],
    ['# What an image must not have, or makes itself.', ...never],
  ];
  const sections = parts.filter((lines) => lines.length > 1).map((lines) => `${lines.join('\n')}\n`);
  return sections.join('\n');
}

/** Nothing brings them back: they stand last. */
const NEVER: readonly string[] = [
  '**/node_modules',
  'dist',
  '.fwk',
  '.git',
  '.env',
  '.env.local',
  '.env.*.local',
  '**/*.tsbuildinfo',
  'Dockerfile',
  '.dockerignore',
];

const without = (never: readonly string[], lines: readonly string[]): string[] =>
  lines.filter((line) => !never.includes(line.replace(/\/\*\*$/, '')));

/** The patterns of all files named .gitignore, outer ones first. Those in directories that are ignored are none to git. */
function patternsIn(root: string): GitPattern[] {
  const patterns: GitPattern[] = [];
  const folders = [''];
  for (const folder of folders) {
    const entries = entriesOf(join(root, folder));
    if (entries.some(({ name }) => name === '.gitignore'))
      patterns.push(...gitPatterns(textOf(join(root, folder, '.gitignore')), folder));
    const inner = entries
      .filter((entry) => entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules')
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
    folders.push(...inner.filter((path) => !isIgnored(patterns, path, true)));
  }
  return patterns;
}

/** The files that git ignores and has nonetheless; none where there is no git. */
function committed(root: string): string[] {
  const args = ['-C', root, 'ls-files', '-z', '--cached', '--ignored', '--exclude-per-directory=.gitignore'];
  try {
    const listed = execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return listed.split('\0').filter((path) => path !== '');
  } catch {
    return [];
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isDirectoryAt(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
