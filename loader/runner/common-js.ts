import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { cache } = createRequire(import.meta.url);

/** How often a file was loaded again. For Node, another query makes another module. */
const versions = new Map<string, number>();

/** The URL with which Node imports the current version of a file. */
export function versionUrl(file: string): string {
  const url = pathToFileURL(file);
  const version = versions.get(file);
  if (version !== undefined) url.search = `version=${version}`;
  return url.href;
}

export const isOutdated = (url: string): boolean =>
  versions.size > 0 && url.startsWith('file:') && url !== versionUrl(fileURLToPath(url));

/** Make Node load a file again at its next import. It would keep the error of a failed import, too. */
export function forget(file: string): void {
  delete cache[file];
  versions.set(file, (versions.get(file) ?? 0) + 1);
}

/** Make Node load the CommonJS modules among `files` again, and all modules that require them. */
export function forgetCommonJs(files: Iterable<string>): void {
  const outdated = new Set([...files].filter((file) => file.endsWith('.cjs') || cache[file]));
  // A Set that grows during iteration is iterated to its end.
  for (const file of outdated)
    for (const [path, module] of Object.entries(cache))
      if (module?.children.some(({ filename }) => filename === file)) outdated.add(path);
  for (const file of outdated) forget(file);
}
