import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ModuleError, placeOfImport } from './error.js';
import type { Loader } from './index.js';
import { link } from './link.js';
import { type Host, Module, Package } from './module.js';
import { isPath, isProjectFile, type Resolver } from './resolve.js';
import type { Namespace, Source } from './source.js';
import { Sources } from './sources.js';

/** What `sourceLoader` starts. */
export function createRunner(root: string): Loader {
  return new SourceLoader(new Sources(root));
}

/** One generation: every file is at most one module. */
class SourceLoader implements Loader {
  readonly #sources: Sources;
  readonly #modules = new Map<string, Promise<Module>>();
  readonly #packages = new Map<string, Package>();
  readonly #linked = new Set<Module>();

  /** Imports from outside are evaluated one after the other, so that their order within cycles is certain. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  get files(): Iterable<string> {
    return this.#modules.keys();
  }

  get evaluating(): Iterable<string> {
    return [...this.#linked].filter((module) => module.evaluating).map(({ source }) => source.file);
  }

  renew(): Loader {
    return new SourceLoader(this.#sources);
  }

  import(file: string): Promise<Namespace> {
    const turn = this.#turn;
    const namespace = this.#import(file, turn);
    this.#turn = Promise.allSettled([turn, namespace]).then(() => {});
    return namespace;
  }

  async #import(file: string, turn?: Promise<unknown>): Promise<Namespace> {
    const graph = new Set<Module>();
    const { resolver } = await this.#sources.tools();
    const root = await this.#reach(file, resolver, graph);
    await link(graph);
    for (const module of graph) this.#linked.add(module);
    await turn;
    await root.run();
    return root.namespace;
  }

  /** Loads a file and all it imports; what was not linked yet is added to `graph`. */
  async #reach(file: string, resolver: Resolver, graph: Set<Module>): Promise<Module> {
    const module = await this.#load(file, resolver);
    if (module.linked || graph.has(module)) return module;
    graph.add(module);
    const { imports, stars } = module.source.shape;
    for (const { specifier } of imports) {
      const target = this.#locate(specifier, module.source, resolver);
      const reached = typeof target === 'string' ? await this.#reach(target, resolver, graph) : target;
      module.targets.set(specifier, reached);
      // Linking needs the names behind `export *`, and only an imported package tells them.
      if (reached instanceof Package && stars.includes(specifier)) await reached.run();
    }
    return module;
  }

  #load(file: string, resolver: Resolver): Promise<Module> {
    const known = this.#modules.get(file);
    if (known) return known;
    const host: Host = {
      import: async (specifier, importer, options) => {
        const target = this.#locate(specifier, importer, resolver);
        return typeof target === 'string' ? this.#import(target) : importer.native(target.specifier, options);
      },
      url: (specifier, importer) => resolver.url(specifier, importer),
    };
    const module = this.#sources.read(file).then((source) => new Module(source, host));
    this.#modules.set(file, module);
    return module;
  }

  /** The project file that a specifier means, or the package for Node to import. */
  #locate(specifier: string, importer: Source, resolver: Resolver): string | Package {
    const file = resolver.resolve(specifier, importer.file);
    if (file && isProjectFile(file)) return file;
    if (!file && isPath(specifier)) {
      const message = `Cannot find module '${specifier}' imported from ${importer.file}`;
      const place = placeOfImport(importer.text, specifier);
      throw new ModuleError('ERR_MODULE_NOT_FOUND', message, importer.file, place);
    }
    const name = file ? pathToFileURL(file).href : specifier;
    const key = file || isBuiltin(name) ? name : `${path.dirname(importer.file)}|${name}`;
    const known = this.#packages.get(key) ?? new Package(name, importer);
    this.#packages.set(key, known);
    return known;
  }
}
