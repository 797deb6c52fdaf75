import picomatch from 'picomatch';

export type Matches = (path: string) => boolean;

/** Escapes brackets and groups, which are literal names of files: `[id]` and `(open)`. */
const literal = (pattern: string): string =>
  pattern
    .split('/')
    .map((segment) => (/^\([^()|]+\)$/.test(segment) ? `\\(${segment.slice(1, -1)}\\)` : segment))
    .join('/')
    .replace(/[[\]]/g, '\\$&')
    // picomatch doesn't always treat a repeated `**` as one.
    .replace(/\*\*(?:\/\*\*)+/g, '**');

/** Returns whether `pattern` matches a path without a leading slash. `a/**` also matches `a`, which picomatch doesn't always do. */
export function matcherOf(pattern: string): Matches {
  if (pattern === '**') return () => true;
  const glob = literal(pattern);
  const matches = picomatch(glob.endsWith('/**') ? [glob, glob.slice(0, -3)] : glob, { dot: true });
  // Rejects most paths early: a thousand routes and twenty rules are tens of thousands of matches.
  const beginning = /^[^*?{}!@+|()\\]*/.exec(pattern)?.[0].replace(/\/$/, '') ?? '';
  return (path) => path.startsWith(beginning) && matches(path);
}

export const isPlain = (segment: string): boolean => !/[*?{}!@+|]/.test(segment);

/** Expands braces: `{a,b}/c` becomes `a/c` and `b/c`. */
function expandBraces(pattern: string): readonly string[] {
  const [whole, before = '', inside = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return inside.split(',').flatMap((one) => expandBraces(before + one + after));
}

/** The pattern for each alternative of its braces: `api/{a,b}` has `a` for `api/a`. Braces inside braces, or with an empty alternative, have none. */
export const alternativesOf = (pattern: string): ReadonlyMap<string, string> =>
  new Map(
    [...pattern.matchAll(/\{([^{},]+(?:,[^{},]+)+)\}/g)].flatMap(({ 0: group, 1: inside = '', index }) =>
      inside
        .split(',')
        .map((part) => [part, pattern.slice(0, index) + part + pattern.slice(index + group.length)] as const),
    ),
  );

/** A segment for a parameter. No route has it as a literal segment. */
const ANY = 'zz';
const MAX_DEPTH = 12;

/** A text that a segment of a pattern matches, if one is found. */
function samples(segment: string): readonly string[] {
  if (isPlain(segment)) return [segment];
  const text = segment
    .replace(/[@+*?!]\(([^()|]*)[^()]*\)/g, '$1')
    .replace(/\*+/g, ANY)
    .replace(/\?/g, 'z');
  return picomatch.isMatch(text, segment, { dot: true }) ? [text] : [];
}

/** URL paths that a route answers and `pattern` matches. A parameter gets one value, unless the pattern requires another. */
export function* witnesses(pattern: string, path: string, depth: number): Generator<string> {
  const have = path.split('/').slice(1);
  const most = Math.min(depth + 1, MAX_DEPTH);
  for (const one of expandBraces(pattern)) yield* walk(one.split('/'), have, [], most);
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
    // A catch-all matches one segment or more. Paths below the pattern go before the directory itself.
    const after = !isOpen ? [givenNext] : wanted === '**' ? [givenNext, have] : [have, givenNext];
    for (const segment of segmentsFor(wanted, given))
      for (const next of after)
        yield* walk(wanted === '**' ? want : wantedNext, next, [...out, segment], most);
  }
  if (wanted === '**') yield* walk(wantedNext, have, out, most);
}

/** The segments that both a segment of a pattern and a segment of a route match. */
function segmentsFor(wanted: string, given: string): readonly string[] {
  const isParameter = given.startsWith(':') || given.startsWith('*');
  if (wanted === '**') return [isParameter ? ANY : given];
  if (isParameter) return samples(wanted);
  const isSame = isPlain(wanted) ? wanted === given : picomatch.isMatch(given, wanted, { dot: true });
  return isSame ? [given] : [];
}
