import { existsSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleResolve } from 'import-meta-resolve';
import { readPackage, upwards } from '../package-json.js';
import { ownTarget, packageFileOf } from './package-file.js';
import { mistakeIn, type SpecifierRules, specifierRules } from './specifier-rules.js';
import type { CompilerOptions } from './tsconfig.js';

/** fwkit and its packages are to be the instance that runs the project, linked or not. */
const OWN = /^(?:fwkit$|@fwkit\/)/;

/** Which packages are folders of the same repository, linked into node_modules as workspaces do. */
class LinkedPackages {
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

  has(file: string): boolean {
    if (this.#isOfProject(file)) return false;
    for (const folder of this.#folders.values())
      if (folder !== undefined && file.startsWith(folder + path.sep)) return true;
    return false;
  }

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
  if (readPackage(folder)?.name === name) return folder;
  for (const above of upwards(folder)) {
    const place = path.join(above, 'node_modules', name);
    if (!existsSync(place)) continue;
    const real = realpathSync(place);
    return real === place || /[\\/]node_modules[\\/]/.test(real) ? undefined : real;
  }
  return undefined;
}

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.json'];

export const isPath = (specifier: string) => /^(\.{0,2}\/|\.{1,2}$|file:|[a-z]:[\\/])/i.test(specifier);

/** Whether the runner evaluates this file itself; Node imports all others. */
export const isProjectFile = (file: string) =>
  EXTENSIONS.includes(path.extname(file)) && !/[\\/]node_modules[\\/]/.test(file);

/**
 * Which modules of linked packages the runner evaluates: TypeScript alone, which Node does not run, or ES modules too, so that they
 * are evaluated again when they have changed.
 */
export type LinkedModules = 'typescript' | 'all';

export class Resolver {
  readonly #paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  /** The name by which the project can import itself. */
  readonly name: string | undefined;
  readonly rules: SpecifierRules;
  /** By the directory of the importer and the specifier. */
  readonly #found = new Map<string, string>();
  /** The mistakes in specifiers that lead to a file, likewise. */
  readonly #mistakes = new Map<string, string | undefined>();
  readonly #outDir: string | undefined;
  readonly #rootDirs: readonly string[];
  readonly #linked: LinkedPackages;
  readonly linkedModules: LinkedModules;
  readonly #conditions: ReadonlySet<string>;

  constructor(root: string, options: CompilerOptions, linkedModules: LinkedModules = 'typescript') {
    const { paths = {}, rootDir, outDir, customConditions = [] } = options;
    this.#linked = new LinkedPackages(root);
    this.linkedModules = linkedModules;
    this.#conditions = new Set([...CONDITIONS, ...customConditions]);
    this.#outDir = outDir;
    this.#rootDirs = rootDir === undefined ? [root, path.join(root, 'src')] : [rootDir];
    const prefix = (pattern: string) => pattern.split('*', 1)[0] ?? '';
    this.#paths = Object.entries(paths).sort(([a], [b]) => prefix(b).length - prefix(a).length);
    const { name, type } = readPackage(root) ?? {};
    this.name = typeof name === 'string' ? name : undefined;
    const isCompiled = existsSync(path.join(root, 'tsconfig.json'));
    this.rules = specifierRules(isCompiled ? options : undefined, type === 'module');
  }

  forget(): void {
    this.#found.clear();
    this.#mistakes.clear();
    this.#linked.forget();
  }

  /** Describes a specifier that leads to `file` here and nowhere in production; undefined if nothing is wrong with it. */
  mistakeIn(specifier: string, importer: string, file: string): string | undefined {
    // How a package of its own is compiled says its own tsconfig.
    if (this.#linked.has(importer)) return undefined;
    const key = `${path.dirname(importer)}|${specifier}`;
    if (!this.#mistakes.has(key)) this.#mistakes.set(key, mistakeIn(specifier, importer, file, this.rules));
    return this.#mistakes.get(key);
  }

  /** The file that `specifier` means in `importer`; undefined if there is none, or if Node is to find it. */
  resolve(specifier: string, importer: string): string | undefined {
    const key = `${path.dirname(importer)}|${specifier}`;
    const found = this.#found.get(key) ?? this.#find(specifier, importer);
    if (found !== undefined) this.#found.set(key, found);
    return found;
  }

  #find(specifier: string, importer: string): string | undefined {
    if (specifier.startsWith('file:')) return findFile(fileURLToPath(specifier));
    if (isPath(specifier)) return findFile(path.resolve(path.dirname(importer), specifier));
    for (const [pattern, targets] of this.#paths) {
      const [head = '', tail] = pattern.split('*');
      const fits =
        tail === undefined ? specifier === head : specifier.startsWith(head) && specifier.endsWith(tail);
      const star = specifier.slice(head.length, specifier.length - (tail ?? '').length);
      for (const target of fits ? targets : []) {
        const file = findFile(target.replace('*', () => star));
        if (file) return file;
      }
    }
    const ours = specifier.startsWith('#') || `${specifier}/`.startsWith(`${this.name}/`);
    return ours ? this.#ofPackage(specifier, importer) : this.#ofLinked(specifier, importer);
  }

  /** The file that a name of a linked package leads to, by the conditions of the compiler too, if the runner evaluates it. */
  #ofLinked(specifier: string, importer: string): string | undefined {
    const folder = this.#linked.folderOf(specifier, importer);
    if (folder === undefined) return undefined;
    const url = nodeUrlOf(specifier, importer, false, this.#conditions);
    if (!(url instanceof URL) || url.protocol !== 'file:') return undefined;
    const file = fileURLToPath(url);
    if (!isProjectFile(file) || !existsSync(file)) return undefined;
    const isEvaluated = /\.m?tsx?$/.test(file) || (this.linkedModules === 'all' && isModule(file));
    return isEvaluated ? file : undefined;
  }

  /** The file that `imports` and `exports` of package.json lead to, if it is a source or compiled from one. */
  #ofPackage(specifier: string, importer: string): string | undefined {
    const url = nodeUrlOf(specifier, importer, true);
    if (!(url instanceof URL) || url.protocol !== 'file:') return undefined;
    const file = fileURLToPath(url);
    return this.#sourceOf(file) ?? (isProjectFile(file) ? findFile(file) : undefined);
  }

  /** The source of a compiled file, which package.json names because it is there in production. */
  #sourceOf(file: string): string | undefined {
    if (this.#outDir === undefined || !file.startsWith(this.#outDir + path.sep)) return undefined;
    for (const rootDir of this.#rootDirs) {
      const source = findFile(path.join(rootDir, path.relative(this.#outDir, file)));
      if (source) return source;
    }
    return undefined;
  }

  url(specifier: string, importer: string): string {
    const file = this.resolve(specifier, importer);
    return file ? pathToFileURL(file).href : moduleUrl(specifier, importer);
  }
}

export function moduleUrl(specifier: string, importer: string): string {
  const url = nodeUrlOf(specifier, importer);
  if (url instanceof URL) return url.href;
  throw url;
}

/** Resolves a specifier as Node does, without importing it: a path, the URL of a built-in module, or undefined. */
export function resolveByNode(specifier: string, importer: string): string | undefined {
  const url = nodeUrlOf(specifier, importer);
  if (!(url instanceof URL)) return undefined;
  if (url.protocol !== 'file:') return url.href;
  const file = fileURLToPath(url);
  return existsSync(file) ? file : undefined;
}

/** A file as TypeScript finds it: `./x.js` means `./x.ts` if there is one; extension and `index` may be left out. */
function findFile(file: string): string | undefined {
  const typed = file.replace(/js(x?)$/, 'ts$1');
  const candidates = [
    ...(/\.m?jsx?$/.test(file) ? [typed, typed.replace(/\.ts$/, '.tsx')] : []),
    file,
    ...EXTENSIONS.map((extension) => file + extension),
    ...EXTENSIONS.map((extension) => path.join(file, `index${extension}`)),
  ];
  return candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
}

function isModule(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.mjs');
  const manifest = packageFileOf(path.dirname(file));
  return manifest !== undefined && readPackage(path.dirname(manifest))?.type === 'module';
}

/** The conditions under which Node imports; `process.features.require_module` came with the last one. */
const CONDITIONS = new Set([
  'node',
  'import',
  'node-addons',
  ...(Reflect.get(process.features, 'require_module') ? ['module-sync'] : []),
]);

/**
 * The URL that Node resolves a specifier to, whether or not a file is there; else why there is none. `isOwn`: whether it is a name of
 * the project's own.
 */
function nodeUrlOf(
  specifier: string,
  importer: string,
  isOwn = specifier.startsWith('#'),
  conditions: ReadonlySet<string> = CONDITIONS,
): unknown {
  try {
    const target = isOwn ? ownTarget(specifier, importer, conditions) : undefined;
    const { name, base } = target ?? { name: specifier, base: importer };
    return moduleResolve(name, pathToFileURL(base), new Set(conditions));
  } catch (error) {
    const url: unknown = error instanceof Error ? Reflect.get(error, 'url') : undefined;
    return typeof url === 'string' ? new URL(url) : error;
  }
}
