import { execFileSync } from 'node:child_process';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a .gitignore, seen from the root of the project. */
interface GitPattern {
  /** It takes back what lines before it ignore. */
  readonly isNegated: boolean;
  /** It is about directories alone, with all that is in them. */
  readonly isDirectory: boolean;
  /** `**` stands for any number of directories. */
  readonly segments: readonly Segment[];
}

/** A name in a path, or several. */
type Segment = '**' | readonly Token[];

/** What matches a character of a name; `*` any number of them. Its text is that of Docker. */
interface Token {
  readonly text: string;
  readonly isSet: boolean;
}

/** The patterns of the .gitignore in `folder`, which is relative to the root, or ''. Lines that match nothing are left out. */
function gitPatterns(text: string, folder: string): GitPattern[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => read(line, literalPath(folder)) ?? []);
}

/** The pattern of one path, which has no wildcards. */
const literalPath = (path: string): readonly Segment[] =>
  path === '' ? [] : path.split('/').map((name) => [...name].map(literal));

/** Whether there can be a path that both match. Sets of characters are taken to meet each other. */
function overlap(a: readonly Segment[], b: readonly Segment[]): boolean {
  return canMeet(
    a,
    b,
    (segment) => segment === '**',
    (one, other) => one !== '**' && other !== '**' && canMeet(one, other, isAny, sameCharacter),
  );
}

const ANY: Token = { text: '*', isSet: true };
const isAny = ({ isSet, text }: Token): boolean => isSet && text === ANY.text;
const sameCharacter = (one: Token, other: Token): boolean =>
  one.isSet || other.isSet || one.text === other.text;

function read(line: string, folder: readonly Segment[]): GitPattern | undefined {
  // A space at the end is one of the name only behind a backslash.
  const trimmed = line.replace(/(?<!\\) +$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const isNegated = trimmed.startsWith('!');
  const pattern = trimmed.slice(isNegated ? 1 : 0);
  const isDirectory = pattern.endsWith('/');
  const path = isDirectory ? pattern.slice(0, -1) : pattern;
  const names = path.replace(/^\//, '').split('/');
  const segments = names.map((name) => (name === '**' ? name : tokens(name)));
  const known = segments.filter((segment) => segment !== undefined);
  if (known.length < segments.length) return undefined;
  // What is below a directory is at least one name.
  if (known.at(-1) === '**') known.push([ANY]);
  const depth: readonly Segment[] = path.includes('/') ? [] : ['**'];
  const all = [...folder, ...depth, ...known];
  return { isNegated, isDirectory, segments: all.filter((one, at) => one !== '**' || all[at - 1] !== '**') };
}

/** The characters of a name; undefined where it is one that no path has, or no pattern. */
function tokens(name: string): Token[] | undefined {
  if (name === '' || name === '.' || name === '..') return undefined;
  const found: Token[] = [];
  for (const [text, escaped, not, set] of name.matchAll(PART)) {
    if (escaped !== undefined) found.push(literal(escaped));
    else if (set !== undefined)
      found.push({ text: `[${not ? '^' : ''}${set.replace(/^\]/, '\\]')}]`, isSet: true });
    else if (text.startsWith('*')) found.push(ANY);
    else if (text === '?') found.push({ text, isSet: true });
    else if (text === '[' || text === '\\') return undefined;
    else found.push(literal(text));
  }
  return found;
}

const PART = /\\(.)|\*+|\?|\[([!^])?(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|./gu;

/** Docker makes regular expressions of patterns, and not all of its versions escape what means something there. */
const literal = (character: string): Token => ({
  text: /[*?[\\+(){}|]/.test(character)
    ? `[${character === '\\' ? '\\\\' : character}]`
    : character === '^'
      ? '\\^'
      : character,
  isSet: false,
});

/** Whether two sequences can match the same, `isMany` being any number of elements in either. */
function canMeet<T>(
  a: readonly T[],
  b: readonly T[],
  isMany: (element: T) => boolean,
  meet: (one: T, other: T) => boolean,
): boolean {
  /** Of the elements of `b` from each on, with those of `a` that were looked at: from the end. */
  let after: boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const here: boolean[] = [];
    for (let j = b.length; j >= 0; j--) {
      const one = a[i];
      const other = b[j];
      const isOver = one === undefined && other === undefined;
      const skips = one !== undefined && isMany(one) && (after[j] || (other !== undefined && here[j + 1]));
      const isSkipped =
        other !== undefined && isMany(other) && (here[j + 1] || (one !== undefined && after[j]));
      const together = one !== undefined && other !== undefined && meet(one, other) && after[j + 1];
      here[j] = isOver || skips || isSkipped || together || false;
    }
    after = here;
  }
  return after[0] ?? false;
}

/**
 * The lines of a .dockerignore that leave out what git ignores. For Docker the last line that matches a file or a directory around it
 * decides, and all begin at the root. What comes back by a name at any depth may be more than for git, which takes nothing out of a
 * directory that it ignores. `isDirectory` says so of a path relative to the root.
 */
function dockerLines(patterns: readonly GitPattern[], isDirectory: (path: string) => boolean): string[] {
  const final = patterns.filter(
    (pattern, index) =>
      !pattern.isNegated && !patterns.slice(index + 1).some((later) => isTakenBack(pattern, later)),
  );
  const others = patterns.filter((pattern) => !final.includes(pattern));
  const held = others.filter((pattern, index) => !isEmptied(pattern, others.slice(0, index)));
  const inPlace = held.flatMap((pattern, index) => {
    const comesBack = pattern.isNegated && (pattern.isDirectory || isDirectory(text(pattern.segments)));
    return [pattern, ...(comesBack ? below(pattern, held.slice(0, index)) : [])];
  });
  return [...inPlace.map(printed), ...new Set(final.map(printed))];
}

const isTakenBack = (pattern: GitPattern, later: GitPattern): boolean =>
  later.isNegated && overlap(pattern.segments, later.segments);

/** For Docker all comes back that is in a directory which does. What git ignores at any depth is ignored in there, too. */
const below = (directory: GitPattern, before: readonly GitPattern[]): readonly GitPattern[] =>
  isAnywhere(directory) || isDeep(directory)
    ? []
    : before
        .filter(isAnywhere)
        .map((pattern) => ({ ...pattern, segments: [...directory.segments, ...pattern.segments] }));

const isAnywhere = ({ segments }: GitPattern): boolean => segments[0] === '**';

/** Whether the last pattern that matches a path ignores it. Directories around it are not looked at. */
function isIgnored(patterns: readonly GitPattern[], path: string, isDirectory: boolean): boolean {
  const segments = literalPath(path);
  const last = patterns.findLast(
    (pattern) => (isDirectory || !pattern.isDirectory) && overlap(pattern.segments, segments),
  );
  return last?.isNegated === false;
}

/** The line that has a file, or a directory with all that is in it, in the image. */
const included = (path: string): string =>
  printed({ isNegated: true, isDirectory: false, segments: literalPath(path) });

/** Whether git looks into a directory, and ignores each file of it: Docker finds files that come back without that. */
const isEmptied = (
  { isNegated, isDirectory, segments }: GitPattern,
  before: readonly GitPattern[],
): boolean =>
  isNegated &&
  isDirectory &&
  before.some(
    (pattern) => !pattern.isNegated && isDeep(pattern) && overlap(pattern.segments, [...segments, ...ALL]),
  );

/** All files at any depth. */
const ALL = ['**', [{ text: '*', isSet: true }]] as const satisfies readonly Segment[];
const isDeep = ({ segments }: GitPattern): boolean => text(segments.slice(-2)) === text(ALL);

/** Docker has no pattern for directories alone. What is in one is below its name. */
function printed({ isNegated, isDirectory, segments }: GitPattern): string {
  const path = isDirectory ? `${text(segments)}/**` : text(segments).replace(/\/\*\*\/\*$/, '/**');
  // What would be a comment, a negation or nothing at the ends of a line.
  return (isNegated ? '!' : '') + path.replace(/^[#! ]|[ ]$/g, '[$&]');
}

const text = (segments: readonly Segment[]): string =>
  segments
    .map((segment) => (segment === '**' ? segment : segment.map((token) => token.text).join('')))
    .join('/');

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
