import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BootError, messageOf, type ProjectPaths } from '../kernel/index.js';
import { conventionDirectories } from './builtins.js';
import type { WorkspacePackage } from './workspace.js';

/**
 * Find the source directory of the project in `directory`: `src/` if it holds one of `marks` or an entry file. Throws a
 * BootError where that cannot be read. `marks` are asked for where there is no entry file.
 */
export function locate(directory: string, marks: () => readonly string[]): ProjectPaths {
  const root = resolve(directory);
  const stats = readable(root, (path) => statSync(path, { throwIfNoEntry: false }));
  if (!stats)
    throw new BootError({
      message: `--dir "${directory}" does not exist. Give the folder of a project.`,
      code: 'FWK605',
    });
  if (!stats.isDirectory())
    throw new BootError({
      message: `--dir "${directory}" is not a directory. Give the folder of a project.`,
      code: 'FWK605',
    });
  const src = join(root, 'src');
  const names = namesIn(src);
  const isSource = names.some((name) => ENTRY.test(name)) || names.some((name) => marks().includes(name));
  return { root, source: isSource ? src : root };
}

const ENTRY = /^(main|fwk\.config)\.m?[jt]s$/;

/** The first name in `directory` that makes it a source directory: one of `marks`, an entry file or the config. */
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
      message: `${path} cannot be read: ${messageOf(cause)}. Give this user the right to.`,
      code: 'FWK112',
    });
  }
}

/** How many projects the message names at most. */
const NAMED = 3;

/**
 * Throws a BootError where `paths` is the root of a workspace and no project: what is meant is a package below it, and all that could
 * be booted has no route.
 */
export async function refuseWorkspaceRoot({ root, source }: ProjectPaths): Promise<void> {
  if (source !== root || markIn(root, conventionDirectories()) !== undefined) return;
  const { workspaceIn } = await import('./workspace.js');
  const packages = workspaceIn(root);
  if (packages === undefined) return;
  const named = packages.filter(isProject).map(({ folder }) => folder);
  const more = named.length > NAMED ? ' or another' : '';
  throw new BootError({
    message: `${root} is the root of a workspace, and no project. Give the folder of one${named.length > 0 ? `, ${named.slice(0, NAMED).join(', ')}${more},` : ''} as --dir, or as "dir" of createTestApp().`,
    code: 'FWK605',
  });
}

/** A front end has fwkit, too, for its client. */
const isProject = ({ manifest }: WorkspacePackage): boolean =>
  manifest.devDependencies?.['@fwkit/build'] !== undefined ||
  Object.values(manifest.scripts ?? {}).some((script) => /\bfwk (?:dev|build)\b/.test(script));
