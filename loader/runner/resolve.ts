import { existsSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleResolve } from 'import-meta-resolve';
import { resolve } from 'resolve.exports';
import { packageFileOf, readPackage, upwards } from '../package-json.js';
import { mistakeIn, type SpecifierRules, specifierRules } from './specifier-rules.js';
import type { CompilerOptions } from './tsconfig.js';

/** fwkit and its packages always resolve to the instance that runs the project, linked or not. */
const OWN = /^(?:fwkit$|@fwkit\/)/;

/** Which packages are folders of the same repository, linked into node_modules as in a workspace. */
class LinkedPackages {
  readonly #inside: string;
  readonly #ofProject = new Map<string, string | undefined>();
  /** Real folders of packages, by the importing folder and the package name. */
  readonly #folders = new Map<string, string | undefined>();

  constructor(private readonly root: string) {
    this.#inside = root + path.sep;
  }

  forget(): void {
    this.#folders.clear();
    this.#ofProject.clear();
  }

  /** The real folder of the linked package that a bare specifier refers to in `importer`; undefined if there is none. */
  folderOf(specifier: string, importer: string): string | undefined {
    // Cached, because most modules import the same few packages.
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
    if (this.#isOfProject(importer)) return this.root;
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

/** Which modules of linked packages the runner evaluates: only TypeScript, or also ES modules, to evaluate changed ones again. */
export type LinkedModules = 'typescript' | 'all';

export class Resolver {
  readonly #paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  readonly name: string | undefined;
  readonly rules: SpecifierRules;
  /** By the importer's directory and the specifier. */
  readonly #found = new Map<string, string>();
  /** Mistakes in specifiers that resolve to a file, by the same key. */
  readonly #mistakes = new Map<string, string | undefined>();
  readonly #outDir: string | undefined;
  readonly #rootDirs: readonly string[];
  readonly #linked: LinkedPackages;
  readonly #conditions: ReadonlySet<string>;

  constructor(
    root: string,
    options: CompilerOptions,
    readonly linkedModules: LinkedModules = 'typescript',
  ) {
    const { paths = {}, rootDir, outDir, customConditions = [] } = options;
    this.#linked = new LinkedPackages(root);
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

  /** Describes a specifier that resolves to `file` here but fails in production; undefined if it is valid. */
  mistakeIn(specifier: string, importer: string, file: string): string | undefined {
    // The package's own tsconfig defines how it is compiled.
    if (this.#linked.has(importer)) return undefined;
    const key = `${path.dirname(importer)}|${specifier}`;
    if (!this.#mistakes.has(key)) this.#mistakes.set(key, mistakeIn(specifier, importer, file, this.rules));
    return this.#mistakes.get(key);
  }

  /** The file that `specifier` resolves to in `importer`; undefined if there is none, or if Node has to resolve it. */
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

  /** The file that an import of a linked package resolves to, with the compiler's conditions too, if the runner evaluates it. */
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

  /** The file that `imports` and `exports` of package.json resolve to, if it is a source or compiled from one. */
  #ofPackage(specifier: string, importer: string): string | undefined {
    const url = nodeUrlOf(specifier, importer, true);
    if (!(url instanceof URL) || url.protocol !== 'file:') return undefined;
    const file = fileURLToPath(url);
    return this.#sourceOf(file) ?? (isProjectFile(file) ? findFile(file) : undefined);
  }

  /** The source of a compiled file. package.json names the compiled file for production. */
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

/** Resolves a file like TypeScript: `./x.js` means `./x.ts` if it exists; the extension and `index` may be omitted. */
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

/** The conditions with which Node imports; Node versions that have the last one also have `process.features.require_module`. */
const CONDITIONS = new Set([
  'node',
  'import',
  'node-addons',
  ...(Reflect.get(process.features, 'require_module') ? ['module-sync'] : []),
]);

/** The URL that Node resolves a specifier to, even if no file exists there; else why it fails. `isOwn`: a name of the project itself. */
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

/** Resolves a name of the project itself by its current package.json: `import-meta-resolve` uses the first version that it read. */
function ownTarget(
  specifier: string,
  importer: string,
  conditions: Iterable<string>,
): { readonly name: string; readonly base: string } | undefined {
  const base = packageFileOf(path.dirname(importer));
  if (base === undefined) return undefined;
  const read = readPackage(path.dirname(base)) ?? {};
  if (!specifier.startsWith('#') && !`${specifier}/`.startsWith(`${read.name}/`)) return undefined;
  try {
    const [name] = resolve(read, specifier, { conditions: [...conditions], unsafe: true }) ?? [];
    return name === undefined ? undefined : { name, base };
  } catch {
    // It does not define the name, or not for these conditions: the caller throws the same error as Node.
    return undefined;
  }
}
