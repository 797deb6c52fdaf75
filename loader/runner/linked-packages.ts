import { existsSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { packageFileOf, readPackage } from './package-file.js';

/** fwkit and its packages are to be the instance that runs the project, linked or not. */
const OWN = /^(?:fwkit$|@fwkit\/)/;

/** Which packages are folders of the same repository, linked into node_modules as workspaces do. */
export class LinkedPackages {
  readonly #root: string;
  readonly #inside: string;
  /** What a specifier names in modules of the project itself. */
  readonly #ofProject = new Map<string, string | undefined>();
  /** Their real folders, by the folder that imports them and their name. */
  readonly #folders = new Map<string, string | undefined>();

  constructor(root: string) {
    this.#root = root;
    this.#inside = root + path.sep;
  }

  /** What is linked may have changed. */
  forget(): void {
    this.#folders.clear();
    this.#ofProject.clear();
  }

  /** The real folder of the linked package that a bare specifier names in `importer`; undefined if it names none. */
  folderOf(specifier: string, importer: string): string | undefined {
    // Most modules import the same few packages, and each import asks.
    if (this.#isOfProject(importer) && this.#ofProject.has(specifier)) return this.#ofProject.get(specifier);
    const folder = this.#find(specifier, importer);
    if (this.#isOfProject(importer)) this.#ofProject.set(specifier, folder);
    return folder;
  }

  #find(specifier: string, importer: string): string | undefined {
    const [name] = /^(?:@[^/]+\/)?[^/@#:][^/:]*/.exec(specifier) ?? [];
    if (name === undefined || OWN.test(name) || isBuiltin(specifier)) return undefined;
    const folder = this.#importing(importer);
    const key = `${folder}|${name}`;
    if (!this.#folders.has(key)) this.#folders.set(key, linked(folder, name));
    return this.#folders.get(key);
  }

  /** Whether a file is of a linked package that was found. */
  has(file: string): boolean {
    if (this.#isOfProject(file)) return false;
    for (const folder of this.#folders.values())
      if (folder !== undefined && file.startsWith(folder + path.sep)) return true;
    return false;
  }

  /** The folder of the package that a module belongs to. */
  #importing(importer: string): string {
    if (this.#isOfProject(importer)) return this.#root;
    return path.dirname(packageFileOf(path.dirname(importer)) ?? importer);
  }

  #isOfProject(file: string): boolean {
    return file.startsWith(this.#inside);
  }
}

function linked(folder: string, name: string): string | undefined {
  // A package may import itself, and is not in its own node_modules.
  if (readPackage(path.join(folder, 'package.json')).name === name) return folder;
  for (let above = folder, below = ''; above !== below; below = above, above = path.dirname(above)) {
    const place = path.join(above, 'node_modules', name);
    if (!existsSync(place)) continue;
    const real = realpathSync(place);
    return real === place || /[\\/]node_modules[\\/]/.test(real) ? undefined : real;
  }
  return undefined;
}
