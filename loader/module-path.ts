import { join, sep } from 'node:path';

/** The paths below the most recent source directory. */
let known = { source: '', paths: new Map<string, string>() };

/**
 * The absolute path of a module, by its path below `source`. Cached, because every save uses it as a map key for every module, and
 * hashing a newly made string reads all of it.
 */
export function modulePath(source: string, file: string): string {
  if (known.source !== source) known = { source, paths: new Map() };
  const { paths } = known;
  let path = paths.get(file);
  if (path === undefined) {
    path = sep === '/' ? `${source}/${file}` : join(source, file);
    paths.set(file, path);
  }
  return path;
}
