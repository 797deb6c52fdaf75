import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../kernel/internal.js';

/** Pages of one package. */
export interface PageFolder {
  /** What the names of its pages begin with: '' for those of fwk, `prove/` for those of a plugin. */
  readonly prefix: string;
  /** Absolute. */
  readonly folder: string;
  /** The folder as people see it: `docs`, `node_modules/@fwkit/prove/docs`. */
  readonly shown: string;
}

/** Beside the bundle, in this repository and in the package alike. */
export const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

/** The pages of fwk itself. */
export const OWN_PAGES: PageFolder = { prefix: '', folder: DOCS, shown: 'docs' };

/** The pages of fwk, and those that packages of plugins bring which the project at `root` depends on, in docs/ of each. */
export const pageFolders = (root: string): readonly PageFolder[] => [
  OWN_PAGES,
  ...dependenciesOf(root).flatMap((name) => {
    const folder = folderOf(root, name);
    const docs = folder && join(folder, 'docs');
    if (!docs || !isPlugin(folder) || !existsSync(docs) || !hasPages(docs)) return [];
    return [
      {
        prefix: `${name.slice(name.lastIndexOf('/') + 1)}/`,
        folder: docs,
        shown: `node_modules/${name}/docs`,
      },
    ];
  }),
];

function dependenciesOf(root: string): readonly string[] {
  const { dependencies, devDependencies } = manifestOf(root);
  return [
    ...new Set([dependencies, devDependencies].flatMap((list) => (isObject(list) ? Object.keys(list) : []))),
  ].sort();
}

/** Where a package is installed: beside the project, or above it in a workspace. */
function folderOf(root: string, name: string): string | undefined {
  for (let place = root; ; place = dirname(place)) {
    const folder = join(place, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(place) === place) return undefined;
  }
}

/** What extends fwk says so by a peer dependency. */
function isPlugin(folder: string): boolean {
  const { peerDependencies } = manifestOf(folder);
  return isObject(peerDependencies) && Object.hasOwn(peerDependencies, 'fwkit');
}

const hasPages = (folder: string): boolean => readdirSync(folder).some((file) => file.endsWith('.md'));

/** What is no manifest has no dependencies. */
function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isObject(manifest) ? manifest : {};
  } catch {
    return {};
  }
}
