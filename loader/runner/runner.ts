import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { Namespace } from '../../kernel/index.js';
import { notFound } from '../errors/module-error.js';
import type { Renewal, SourceLoader } from '../loader.js';
import { modulePath } from '../module-path.js';
import { forgetCommonJs, isOutdated, versionUrl } from './common-js.js';
import { link } from './link.js';
import { Module, type ModuleLoader, Package, type Target } from './module.js';
import { isPath, isProjectFile, type LinkedModules, resolveByNode } from './resolve.js';
import type { Source } from './source.js';
import { Sources } from './source-cache.js';

export async function createRunner(root: string, linked: LinkedModules): Promise<SourceLoader> {
  return new Runner(root, await Sources.open(root, linked));
}

class Runner implements SourceLoader {
  readonly #loading = new Map<string, Promise<Module>>();
  readonly #modules = new Map<string, Module>();
  readonly #packages: Map<string, Package>;
  readonly #linked = new Set<Module>();
  /** Files that could not be read or parsed, and paths at which imports found nothing. */
  readonly #missing = new Set<string>();

  /** External imports are evaluated one after the other, so that the order within cycles is deterministic. */
  #lastImport: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly root: string,
    private readonly sources: Sources,
    kept: Iterable<Module> = [],
    packages: Iterable<[string, Package]> = [],
    /** The files of this version that have not been read yet. */
    private readonly pinned: ReadonlyMap<string, Pinned> = new Map(),
    readonly renewed?: ReadonlySet<string>,
  ) {
    this.#packages = new Map(packages);
    for (const module of kept) this.#modules.set(module.source.file, module);
  }

  get files(): ReadonlyMap<string, unknown> {
    return this.#modules;
  }

  wants(file: string): boolean {
    return this.#modules.has(file) || this.#loading.has(file) || this.#missing.has(file);
  }

  get evaluating(): Iterable<string> {
    return [...this.#linked].filter((module) => module.evaluating).map(({ source }) => source.file);
  }

  async resolve(specifier: string, importer: string): Promise<string | undefined> {
    return this.sources.resolver.resolve(specifier, importer) ?? resolveByNode(specifier, importer);
  }

  async renew(changed: Iterable<string>): Promise<Renewal> {
    const files = new Set(changed);
    forgetCommonJs(files);
    if (!this.sources.areStillValid(files)) {
      const all = new Set(this.#modules.keys());
      const loader = await createRunner(this.root, this.sources.resolver.linkedModules);
      return { loader, stale: all, changed: all, edited: files };
    }
    const modules = [...this.#modules.values()];
    const different = new Set(modules.filter(importsOutdated));
    const edited = new Set<string>();
    // After files were added or removed, any import may resolve differently.
    let filesAddedOrRemoved = false;
    for (const file of files) {
      const module = this.#modules.get(file);
      const { text } = module?.source ?? {};
      const source = await this.sources.read(file).catch(() => undefined);
      if (text === undefined || source?.text !== text) edited.add(file);
      if (module && source?.code !== module.source.code) different.add(module);
      filesAddedOrRemoved ||= !module || !source;
    }
    if (filesAddedOrRemoved) this.sources.resolver.forget();
    const resolveImport: ResolveImport = (specifier, { source }) => {
      const file = this.sources.resolver.resolve(specifier, source.file);
      return file && isProjectFile(file) ? file : undefined;
    };
    const stale = staleModules(
      modules,
      (module) => different.has(module),
      filesAddedOrRemoved ? resolveImport : undefined,
    );
    const kept = modules.filter((module) => !stale.has(module));
    // A package whose import failed may be installed by now.
    const packages = [...this.#packages].filter(([, { namespace }]) => namespace);
    const unread = [...this.pinned.keys()].filter((file) => !this.#modules.has(file));
    const renewed = new Set([...stale].map(({ source }) => source.file));
    const pinned = this.#pin([...renewed, ...unread]);
    return {
      loader: new Runner(this.root, this.sources, kept, packages, pinned, renewed),
      stale: renewed,
      changed: new Set([...different].map(({ source }) => source.file)),
      edited,
    };
  }

  /** The current texts and imports of files. Requests import many files later, which must not see edits of later versions. */
  #pin(files: readonly string[]): ReadonlyMap<string, Pinned> {
    const pinned = new Map<string, Pinned>();
    for (const file of files) {
      const source = this.sources.known(file);
      if (!source) continue;
      const imports = source.shape.imports.map(
        ({ specifier }) => [specifier, this.sources.resolver.resolve(specifier, file)] as const,
      );
      pinned.set(file, { source, imports: new Map(imports) });
    }
    return pinned;
  }

  fresh(): SourceLoader {
    return new Runner(this.root, this.sources);
  }

  prepare(file: string): void {
    if (this.#modules.has(file)) this.sources.prepare(file);
  }

  adopt(): void {
    for (const module of this.#modules.values()) module.loader = this.#moduleLoader;
  }

  loaded(source: string, file: string): Namespace | undefined {
    return this.#evaluated(modulePath(source, file));
  }

  #evaluated(file: string): Namespace | undefined {
    const module = this.#modules.get(file);
    return module?.evaluated ? module.namespace : undefined;
  }

  import(file: string): Promise<Namespace> {
    const known = this.#evaluated(file);
    if (known) return Promise.resolve(known);
    const before = this.#lastImport;
    const namespace = this.#import(file, before);
    this.#lastImport = Promise.allSettled([before, namespace]).then(() => {});
    return namespace;
  }

  async #import(file: string, turn?: Promise<unknown>): Promise<Namespace> {
    const graph = new Set<Module>();
    const root = await this.#reach(file, graph);
    await link(graph);
    for (const module of graph) this.#linked.add(module);
    await turn;
    await root.run();
    return root.namespace;
  }

  /** Loads a file and all its imports; modules that are not linked yet are added to `graph`. */
  async #reach(file: string, graph: Set<Module>): Promise<Module> {
    const module = await this.#load(file);
    if (module.linked || graph.has(module)) return module;
    graph.add(module);
    const { imports, stars } = module.source.shape;
    for (const { specifier } of imports) {
      const target = this.#locate(specifier, module.source);
      const reached = typeof target === 'string' ? await this.#reach(target, graph) : target;
      module.targets.set(specifier, reached);
      // Linking needs the names behind `export *`, which a package only has once it is imported.
      if (reached instanceof Package && stars.includes(specifier)) await reached.run();
    }
    return module;
  }

  #load(file: string): Module | Promise<Module> {
    const known = this.#modules.get(file) ?? this.#loading.get(file);
    if (known) return known;
    const pinned = this.pinned.get(file)?.source;
    const loading = (pinned ? Promise.resolve(pinned) : this.sources.get(file)).then(
      (source) => {
        const module = new Module(source, this.#moduleLoader);
        this.#loading.delete(file);
        this.#modules.set(file, module);
        return module;
      },
      (error) => {
        this.#loading.delete(file);
        this.#missing.add(file);
        throw error;
      },
    );
    this.#loading.set(file, loading);
    return loading;
  }

  readonly #moduleLoader: ModuleLoader = {
    import: async (specifier, importer, options) => {
      importer.dynamicImports.set(specifier, undefined);
      const target = this.#locate(specifier, importer.source);
      if (typeof target !== 'string') return importer.source.native(target.specifier, options);
      importer.dynamicImports.set(specifier, target);
      return this.#import(target);
    },
    url: (specifier, importer) => this.sources.resolver.url(specifier, importer),
  };

  #locate(specifier: string, importer: Source): string | Package {
    const file =
      this.pinned.get(importer.file)?.imports.get(specifier) ??
      this.sources.resolver.resolve(specifier, importer.file);
    const mistake = file && this.sources.resolver.mistakeIn(specifier, importer.file, file);
    if (mistake) throw notFound(specifier, importer, mistake);
    if (file && isProjectFile(file)) return file;
    if (!file && isPath(specifier)) {
      this.#missing.add(path.resolve(path.dirname(importer.file), specifier));
      throw notFound(specifier, importer, `Cannot find module '${specifier}' imported from ${importer.file}`);
    }
    const name = file ? versionUrl(file) : specifier;
    const key = file || isBuiltin(name) ? name : `${path.dirname(importer.file)}|${name}`;
    const known = this.#packages.get(key) ?? new Package(name, importer);
    this.#packages.set(key, known);
    return known;
  }
}

interface Pinned {
  readonly source: Source;
  /** The files that its imports resolve to; undefined for packages and missing files. */
  readonly imports: ReadonlyMap<string, string | undefined>;
}

type ResolveImport = (specifier: string, importer: Module) => string | undefined;

/** The modules to evaluate again: modules that failed or that `differs`, whose imports resolve differently by `resolveImport`, and importers. */
function staleModules(
  modules: readonly Module[],
  differs: (module: Module) => boolean,
  resolveImport: ResolveImport | undefined,
): ReadonlySet<Module> {
  const stale = new Set(
    modules.filter(
      (module) =>
        !module.evaluated || differs(module) || (resolveImport && resolvesDifferently(module, resolveImport)),
    ),
  );
  // Most saved files, such as routes, are not imported by any module.
  const files = new Set([...stale].map(({ source }) => source.file));
  if (!modules.some((module) => importsAny(module, files))) return stale;
  const importers = importersIn(modules);
  // A Set that grows during iteration is iterated to its end.
  for (const { source } of stale)
    for (const importer of importers.get(source.file) ?? []) stale.add(importer);
  return stale;
}

function importersIn(modules: readonly Module[]): ReadonlyMap<string, readonly Module[]> {
  const importers = new Map<string, Module[]>();
  for (const module of modules)
    for (const file of importsOf(module)) {
      const known = importers.get(file);
      if (known) known.push(module);
      else importers.set(file, [module]);
    }
  return importers;
}

function importsAny({ targets, dynamicImports }: Module, files: ReadonlySet<string>): boolean {
  for (const target of targets.values()) if (files.has(fileOf(target) ?? '')) return true;
  for (const file of dynamicImports.values()) if (files.has(file ?? '')) return true;
  return false;
}

function* importsOf({ targets, dynamicImports }: Module): Iterable<string> {
  for (const target of targets.values()) {
    const file = fileOf(target);
    if (file !== undefined) yield file;
  }
  for (const file of dynamicImports.values()) if (file !== undefined) yield file;
}

function importsOutdated({ targets }: Module): boolean {
  for (const target of targets.values())
    if (target instanceof Package && isOutdated(target.specifier)) return true;
  return false;
}

function resolvesDifferently(module: Module, resolveImport: ResolveImport): boolean {
  for (const [specifier, target] of module.targets)
    if (resolveImport(specifier, module) !== fileOf(target)) return true;
  for (const [specifier, file] of module.dynamicImports)
    if (resolveImport(specifier, module) !== file) return true;
  return false;
}

const fileOf = (target: Target): string | undefined =>
  target instanceof Package ? undefined : target.source.file;
