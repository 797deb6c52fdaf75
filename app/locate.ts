import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BootError, messageOf, type ProjectPaths } from '../kernel/index.js';
import { readPackage } from '../loader/index.js';
import { conventionDirectories } from './builtins.js';

/**
 * Find the source directory of a project: `src/` if it has an entry file or one of `marks`, and also if nothing has one and there is a
 * tsconfig.json, as in `fwk scaffold`. Throws a BootError if it cannot be read.
 */
export function locate(directory: string, marks: () => readonly string[]): ProjectPaths {
  const root = resolve(directory);
  const stats = readable(root, (path) => statSync(path, { throwIfNoEntry: false }));
  if (!stats)
    throw new BootError({
      message: `--dir "${directory}" does not exist. Pass the folder of a project.`,
      code: 'FWK605',
    });
  if (!stats.isDirectory())
    throw new BootError({
      message: `--dir "${directory}" is not a directory. Pass the folder of a project.`,
      code: 'FWK605',
    });
  const src = join(root, 'src');
  const names = namesIn(src);
  const isSource = names.some((name) => ENTRY.test(name)) || names.some((name) => marks().includes(name));
  const isEmptyTypeScript = () =>
    existsSync(join(root, 'tsconfig.json')) && markIn(root, marks()) === undefined;
  return { root, source: isSource || isEmptyTypeScript() ? src : root };
}

const ENTRY = /^(main|fwk\.config)\.m?[jt]s$/;

export function markIn(directory: string, marks: readonly string[]): string | undefined {
  return namesIn(directory)
    .sort()
    .find((name) => marks.includes(name) || ENTRY.test(name));
}

const namesIn = (directory: string): string[] =>
  readable(directory, (path) => (existsSync(path) && statSync(path).isDirectory() ? readdirSync(path) : []));

function readable<T>(path: string, read: (path: string) => T): T {
  try {
    return read(path);
  } catch (cause) {
    throw new BootError({
      message: `${path} cannot be read: ${messageOf(cause)}. Give this user read permission.`,
      code: 'FWK112',
    });
  }
}

/** Throws a BootError if `paths` is the root of a workspace and not a project itself: the user means one of its packages. */
export function refuseWorkspaceRoot({ root, source }: ProjectPaths): void {
  if (markIn(source, conventionDirectories()) !== undefined) return;
  const pnpm = join(root, 'pnpm-workspace.yaml');
  const isRoot =
    readPackage(root)?.workspaces !== undefined ||
    // Without packages, the file holds the settings of a single project.
    (existsSync(pnpm) && /^packages:/m.test(readFileSync(pnpm, 'utf8')));
  if (!isRoot) return;
  throw new BootError({
    message: `${root} is the root of a workspace, not a project. Pass the folder of a package, such as --dir apps/api, or "dir" to createTestApp().`,
    code: 'FWK605',
  });
}
