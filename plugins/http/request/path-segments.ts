/** `..` between slashes or backslashes, which are separators on Windows. */
const PARENT_DIRECTORY = /(?:^|[/\\])\.\.(?:$|[/\\])/;

/** Whether a decoded value, used in a file path, could leave its directory: `..`, `a/../b`, `..\\x`. */
export const hasParentDirectory = (value: string): boolean => PARENT_DIRECTORY.test(value);

/** Whether a decoded segment can't match any route: it is empty, `.`, or contains a parent directory. */
export const isUnmatchable = (segment: string): boolean =>
  segment === '' || segment === '.' || (segment.includes('..') && hasParentDirectory(segment));

/**
 * Splits a URL path into segments, then decodes them, so that `%2F` stays inside its segment. Ignores a trailing slash. `//`,
 * `/./` and `/../`, encoded or not, match no route, so a parameter never contains `..` as a path segment.
 */
export function split(path: string, encoded: boolean): string[] | 'malformed' | 'unmatchable' {
  // The target is `*`, or the URL of another server, whose text after a slash isn't a path.
  if (!path.startsWith('/')) return 'malformed';
  const segments = path.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  for (let index = 0; index < segments.length; index++) {
    let segment = segments[index] as string;
    if (encoded) {
      try {
        segment = decodeURIComponent(segment);
      } catch {
        return 'malformed';
      }
      segments[index] = segment;
    }
    if (isUnmatchable(segment)) return 'unmatchable';
  }
  return segments;
}

export function segmentsOf(path: string): readonly string[] | undefined {
  const segments = split(path, path.includes('%'));
  return typeof segments === 'string' ? undefined : segments;
}

/** The path of a route without its parameter names, such as `/users/:`, and these names. */
export function readPath(path: string): { readonly shape: string; readonly names: readonly string[] } {
  if (!path.includes('/:') && !path.includes('/*')) return { shape: path, names: NO_NAMES };
  const names: string[] = [];
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith(':') && !segment.startsWith('*')) return segment;
    names.push(segment.slice(1));
    return segment.charAt(0);
  });
  return { shape: segments.join('/'), names };
}

const NO_NAMES: readonly string[] = [];

/** A text without percent-encoding; the text itself if its encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a text can name a part of the app in an option: it begins with a slash, and does not end with one. */
export const isPathPrefix = (text: string): boolean => /^\/(?:[^/]+(?:\/[^/]+)*)?$/.test(text);

/** Whether `path` is `prefix` or below it. */
export const isAtOrBelow = (path: string, prefix: string): boolean =>
  prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
