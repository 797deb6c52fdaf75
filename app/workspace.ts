import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { isObject } from '../kernel/index.js';

/** A package of a workspace: its folder, relative to the root of that, with `/`. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: PackageManifest;
}

interface PackageManifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
}

/** The packages of the workspace whose root is `root`, by folder; undefined where it is none. */
export function workspaceIn(root: string): readonly WorkspacePackage[] | undefined {
  const patterns = patternsIn(root);
  if (patterns === undefined) return undefined;
  const [chosen, left] = [true, false].map((isChosen) =>
    patterns
      .filter((pattern) => pattern.startsWith('!') !== isChosen)
      .flatMap((pattern) => foldersOf(root, pattern.replace(/^!/, ''))),
  );
  return [...new Set(chosen)]
    .filter((folder) => !left?.includes(folder))
    .sort()
    .flatMap((folder) => {
      const manifest = manifestIn(join(root, folder));
      return manifest ? [{ folder, manifest }] : [];
    });
}

/** The root of the workspace above `folder` that has it as a package; undefined where there is none. */
export function workspaceAbove(folder: string): string | undefined {
  for (let above = dirname(folder), below = folder; above !== below; below = above, above = dirname(above)) {
    const packages = workspaceIn(above);
    if (packages?.some((one) => join(above, one.folder) === folder)) return above;
  }
  return undefined;
}

/** What npm, yarn and bun read of package.json, and pnpm of a file of its own. */
function patternsIn(root: string): readonly string[] | undefined {
  const { workspaces } = manifestIn(root) ?? {};
  const named = Array.isArray(workspaces) ? workspaces : Object(workspaces).packages;
  if (Array.isArray(named)) return named.filter((pattern) => typeof pattern === 'string');
  const file = join(root, 'pnpm-workspace.yaml');
  if (!existsSync(file)) return undefined;
  const [, listed] =
    /^packages:[ \t]*\n((?:[ \t]*(?:-.*|#.*)?\n)*)/m.exec(`${readFileSync(file, 'utf8')}\n`) ?? [];
  return listed === undefined
    ? undefined
    : [...listed.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\s]+)/gm)].map(([, pattern = '']) => pattern);
}

/** The folders that a pattern means: `*` is one name, `**` any number of them. */
function foldersOf(root: string, pattern: string): readonly string[] {
  let folders: readonly string[] = [''];
  for (const name of pattern.split('/').filter((part) => part !== '' && part !== '.'))
    folders = folders.flatMap((folder) => {
      if (name === '**') return below(root, folder);
      if (!/[*?[{(!]/.test(name)) return existsSync(join(root, folder, name)) ? [joined(folder, name)] : [];
      const fits = picomatch(name);
      return directoriesIn(root, folder).filter((path) => fits(path.slice(path.lastIndexOf('/') + 1)));
    });
  return folders;
}

const below = (root: string, folder: string): string[] => [
  folder,
  ...directoriesIn(root, folder).flatMap((inner) => below(root, inner)),
];

const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

function directoriesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .map(({ name }) => joined(folder, name));
  } catch {
    return [];
  }
}

const manifestIn = (folder: string): PackageManifest | undefined => packageManifest(folder);

/** The package.json in `folder`; undefined where there is none that can be read. */
export function packageManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
