import picomatch from 'picomatch';
import { expandBraces, isPlain } from './pattern.js';

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
