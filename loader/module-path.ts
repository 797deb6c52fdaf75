import { join, sep } from 'node:path';

/** The paths below the most recent source directory. */
let known = { source: '', paths: new Map<string, string>() };

/** The absolute path of a module below `source`. Cached, because every save looks up every module, and hashing a new string is slow. */
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
