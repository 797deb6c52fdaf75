/** A line of a .gitignore, seen from the root of the project. */
export interface GitPattern {
  /** It takes back what lines before it ignore. */
  readonly isNegated: boolean;
  /** It is about directories alone, with all that is in them. */
  readonly isDirectory: boolean;
  /** `**` stands for any number of directories. */
  readonly segments: readonly Segment[];
}

/** A name in a path, or several. */
export type Segment = '**' | readonly Token[];

/** What matches a character of a name; `*` any number of them. Its text is that of Docker. */
export interface Token {
  readonly text: string;
  readonly isSet: boolean;
}

/** The patterns of the .gitignore in `folder`, which is relative to the root, or ''. Lines that match nothing are left out. */
export function gitPatterns(text: string, folder: string): GitPattern[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => read(line, literalPath(folder)) ?? []);
}

/** The pattern of one path, which has no wildcards. */
export const literalPath = (path: string): readonly Segment[] =>
  path === '' ? [] : path.split('/').map((name) => [...name].map(literal));

/** Whether there can be a path that both match. Sets of characters are taken to meet each other. */
export function overlap(a: readonly Segment[], b: readonly Segment[]): boolean {
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
