import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { moduleRunnerTransformSync, transformSync } from 'oxc-transform';
import { isObject, messageOf, type Namespace } from '../kernel/index.js';
import { MissingPackage } from './errors/problem-of.js';
import { findPackage, readPackage } from './package-json.js';
import { packageManager } from './package-manager.js';

// The code that runs and builds sources is a separate package, so that an app in production doesn't need it. Not an optional peer
// dependency: npm and pnpm install it in production, too, if it is a development dependency of the project.

const NAME = '@fwkit/build';

export interface BuildPackage {
  readonly transformSync: typeof transformSync;
  readonly moduleRunnerTransformSync: typeof moduleRunnerTransformSync;
  importHelper(specifier: string): Promise<Namespace>;
}

/** The package.json of `@fwkit/build`, in the version of fwkit. Throws MissingPackage otherwise; `what` completes "… by @fwkit/build". */
export function findBuildPackage(root: string, what: string): string {
  const found = findPackage(join(root, 'package.json'), NAME) ?? findPackage(import.meta.url, NAME);
  const { version } = read(ownManifest());
  const { install, addForDevelopment } = packageManager(root);
  if (found === undefined) {
    const { dependencies, devDependencies } = readPackage(root) ?? {};
    const isNamed = [dependencies, devDependencies].some((list) => isObject(list) && NAME in list);
    const command = isNamed ? install : `${addForDevelopment} ${NAME}@${version}`;
    throw new MissingPackage(`${what} by ${NAME}, which is not installed. Run ${command}.`);
  }
  const other = read(found).version;
  if (other !== version)
    throw new MissingPackage(
      `${NAME} is version ${other}, and fwkit ${version}: they have to be the same. Run ${addForDevelopment} ${NAME}@${version}.`,
    );
  return found;
}

export async function loadBuildPackage(root: string): Promise<BuildPackage> {
  const manifest = findBuildPackage(root, 'Sources are run');
  try {
    return await import(pathToFileURL(createRequire(manifest).resolve(NAME)).href);
  } catch (cause) {
    const [reason = ''] = messageOf(cause).split(/\.?\n/);
    throw new MissingPackage(
      `${NAME} is installed, but cannot be loaded: ${reason}. Remove node_modules and run ${packageManager(root).install}.`,
    );
  }
}

/** The package.json of fwkit, by its own name, because the location of this file depends on the bundling. */
const ownManifest = (): string => createRequire(import.meta.url).resolve('fwkit/package.json');

const read = (file: string): { readonly version: string } => JSON.parse(readFileSync(file, 'utf8'));
