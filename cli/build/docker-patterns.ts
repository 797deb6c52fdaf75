import { type GitPattern, literalPath, overlap, type Segment } from './git-pattern.js';

/**
 * The lines of a .dockerignore that leave out what git ignores. For Docker the last line that matches a file or a directory around it
 * decides, and all begin at the root. What comes back by a name at any depth may be more than for git, which takes nothing out of a
 * directory that it ignores. `isDirectory` says so of a path relative to the root.
 */
export function dockerLines(
  patterns: readonly GitPattern[],
  isDirectory: (path: string) => boolean,
): string[] {
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
export function isIgnored(patterns: readonly GitPattern[], path: string, isDirectory: boolean): boolean {
  const segments = literalPath(path);
  const last = patterns.findLast(
    (pattern) => (isDirectory || !pattern.isDirectory) && overlap(pattern.segments, segments),
  );
  return last?.isNegated === false;
}

/** The line that has a file, or a directory with all that is in it, in the image. */
export const included = (path: string): string =>
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
