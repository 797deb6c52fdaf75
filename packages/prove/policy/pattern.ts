import picomatch from 'picomatch';

export type Matches = (path: string) => boolean;

/** Brackets and groups are names of files, as in `[id]` and `(open)`: a pattern means them as they stand. */
const literal = (pattern: string): string =>
  pattern
    .split('/')
    .map((segment) => (/^\([^()|]+\)$/.test(segment) ? `\\(${segment.slice(1, -1)}\\)` : segment))
    .join('/')
    .replace(/[[\]]/g, '\\$&')
    // Twice is once, which picomatch does not know everywhere.
    .replace(/\*\*(?:\/\*\*)+/g, '**');

/** A matcher of picomatch takes more than a path, and what is above `**` is not always what it matches. */
function matcher(pattern: string): Matches {
  const glob = literal(pattern);
  const matches = picomatch(glob.endsWith('/**') ? [glob, glob.slice(0, -3)] : glob, { dot: true });
  // Most paths are elsewhere: a thousand routes and twenty rules are tens of thousands of questions.
  const beginning = /^[^*?{}!@+|()\\]*/.exec(pattern)?.[0].replace(/\/$/, '') ?? '';
  return (path) => path.startsWith(beginning) && matches(path);
}

const compiled = new Map<string, Matches>();

/** Whether a path without a slash at its beginning is what `pattern` means: `admin/**` means `admin` too. */
export function matcherOf(pattern: string): Matches {
  const known = compiled.get(pattern);
  if (known) return known;
  const matches = pattern === '**' ? () => true : matcher(pattern);
  compiled.set(pattern, matches);
  return matches;
}

/** Whether a segment of a pattern stands for one text alone. */
export const isPlain = (segment: string): boolean => !/[*?{}!@+|]/.test(segment);

/** A pattern without braces, for each way to read them: `{a,b}/c` is `a/c` and `b/c`. */
function expandBraces(pattern: string): readonly string[] {
  const [whole, before = '', inside = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return inside.split(',').flatMap((one) => expandBraces(before + one + after));
}

/**
 * What a pattern means by each alternative of its braces: `api/{a,b}` is `api/a`, which `a` stands for, and `api/b`. None for an
 * alternative beside an empty one, as in `{,v1/}`: such braces say that it may be missing.
 */
export function alternativesOf(pattern: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { from, to, parts } of groupsOf(pattern))
    if (parts.length > 1 && !parts.includes(''))
      for (const part of parts.flatMap(expandBraces))
        found.set(part, pattern.slice(0, from) + part + pattern.slice(to));
  return found;
}

interface Braces {
  /** Where they begin, and where what follows them does. */
  readonly from: number;
  readonly to: number;
  readonly parts: readonly string[];
}

/** The braces of a pattern that are in no others. */
function* groupsOf(pattern: string): Generator<Braces> {
  let depth = 0;
  let from = 0;
  let begin = 0;
  let parts: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '{' && depth++ === 0) [from, begin, parts] = [at, at + 1, []];
    const isEnd = character === '}' && depth > 0 && --depth === 0;
    if (isEnd || (character === ',' && depth === 1)) {
      parts = [...parts, pattern.slice(begin, at)];
      begin = at + 1;
    }
    if (isEnd) yield { from, to: at + 1, parts };
  }
}

/** A segment that a parameter is given. No route has it as a literal one. */
const ANY = 'zz';

/** How many segments a catch-all is given, at most. */
const MAX_DEPTH = 12;

/** The texts that a segment of a pattern stands for, one of each sort. */
function samples(segment: string): readonly string[] {
  if (isPlain(segment)) return [segment];
  const text = segment
    .replace(/[@+*?!]\(([^()|]*)[^()]*\)/g, '$1')
    .replace(/\*+/g, ANY)
    .replace(/\?/g, 'z');
  return picomatch.isMatch(text, segment, { dot: true }) ? [text] : [];
}

/**
 * URL paths that a route takes, and that `pattern` means: `/api/admin/zz` for `api/admin/**` and
 * `/api/:area/:rest`. Where a parameter may have any value, one is as good as another: only those above literal segments matter, and these
 * are of other routes. `depth` is how many segments the longest path of the project has.
 */
export function* witnesses(pattern: string, path: string, depth: number): Generator<string> {
  if (isElsewhere(pattern, path)) return;
  const have = path.split('/').slice(1);
  const most = Math.min(depth + 1, MAX_DEPTH);
  for (const one of expandBraces(pattern)) yield* walk(one.split('/'), have, [], most);
}

/** Whether they differ in what they begin with, as nearly all patterns and routes do. */
function isElsewhere(pattern: string, path: string): boolean {
  for (let at = 0; at < pattern.length; at++) {
    const [wanted, given] = [pattern.charAt(at), path.charAt(at + 1)];
    // From here on either may stand for many texts.
    if (/[*?{}!@+|(]/.test(wanted) || given === ':' || given === '*') return false;
    if (wanted !== given) return given !== '';
  }
  return false;
}

function* walk(
  want: readonly string[],
  have: readonly string[],
  out: readonly string[],
  most: number,
): Generator<string> {
  const [wanted, ...wantedNext] = want;
  const [given, ...givenNext] = have;
  if (wanted === undefined) {
    if (given === undefined) yield `/${out.map(encodeURIComponent).join('/')}`;
    return;
  }
  if (given !== undefined) {
    const isOpen = given.startsWith('*') && out.length < most;
    // A catch-all takes one segment or more: what is below the pattern, rather than the place itself.
    const after = !isOpen ? [givenNext] : wanted === '**' ? [givenNext, have] : [have, givenNext];
    for (const segment of segmentsFor(wanted, given))
      for (const next of after)
        yield* walk(wanted === '**' ? want : wantedNext, next, [...out, segment], most);
  }
  if (wanted === '**') yield* walk(wantedNext, have, out, most);
}

/** The segments that a segment of a pattern and one of a route agree on. */
function segmentsFor(wanted: string, given: string): readonly string[] {
  const isParameter = given.startsWith(':') || given.startsWith('*');
  if (wanted === '**') return [isParameter ? ANY : given];
  if (isParameter) return samples(wanted);
  const isSame = isPlain(wanted) ? wanted === given : picomatch.isMatch(given, wanted, { dot: true });
  return isSame ? [given] : [];
}
