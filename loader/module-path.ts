import { join, sep } from 'node:path';

/** The paths below the source directory that was last asked about. */
let known = { source: '', paths: new Map<string, string>() };

/**
 * The absolute path of a module, by its plain path below `source`. Every save asks it of every module, and then looks for it: of a
 * text that is made anew, each look-up would have to read all.
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
