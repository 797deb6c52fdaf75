import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleResolve } from 'import-meta-resolve';
import { ownTarget, readPackage } from './package-file.js';
import { mistakeIn, type SpecifierRules, specifierRules } from './specifier-rules.js';
import type { CompilerOptions } from './tsconfig.js';

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.json'];

/** Whether a specifier names a file by its path. */
export const isPath = (specifier: string) => /^(\.{0,2}\/|\.{1,2}$|file:|[a-z]:[\\/])/i.test(specifier);

/** Whether the runner evaluates this file itself; Node imports all others. */
export const isProjectFile = (file: string) =>
  EXTENSIONS.includes(path.extname(file)) && !/[\\/]node_modules[\\/]/.test(file);

/** Finds the files that specifiers of one project mean. */
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

  constructor(root: string, options: CompilerOptions) {
    const { paths = {}, rootDir, outDir } = options;
    this.#outDir = outDir;
    this.#rootDirs = rootDir === undefined ? [root, path.join(root, 'src')] : [rootDir];
    const prefix = (pattern: string) => pattern.split('*', 1)[0] ?? '';
    this.#paths = Object.entries(paths).sort(([a], [b]) => prefix(b).length - prefix(a).length);
    const { name, type } = readPackage(path.join(root, 'package.json'));
    this.name = name;
    const isCompiled = existsSync(path.join(root, 'tsconfig.json'));
    this.rules = specifierRules(isCompiled ? options : undefined, type === 'module');
  }

  /** Forget what was found: files have come or gone. */
  forget(): void {
    this.#found.clear();
    this.#mistakes.clear();
  }

  /** Describes a specifier that leads to `file` here and nowhere in production; undefined if nothing is wrong with it. */
  mistakeIn(specifier: string, importer: string, file: string): string | undefined {
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
    return ours ? this.#ofPackage(specifier, importer) : undefined;
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

  /** The URL that `import.meta.resolve` gives in `importer`. */
  url(specifier: string, importer: string): string {
    const file = this.resolve(specifier, importer);
    return file ? pathToFileURL(file).href : moduleUrl(specifier, importer);
  }
}

/** The URL that Node resolves a specifier to. Throws what Node throws where there is none. */
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
function nodeUrlOf(specifier: string, importer: string, isOwn = specifier.startsWith('#')): unknown {
  try {
    const target = isOwn ? ownTarget(specifier, importer, CONDITIONS) : undefined;
    const { name, base } = target ?? { name: specifier, base: importer };
    return moduleResolve(name, pathToFileURL(base), CONDITIONS);
  } catch (error) {
    const url: unknown = error instanceof Error ? Reflect.get(error, 'url') : undefined;
    return typeof url === 'string' ? new URL(url) : error;
  }
}
