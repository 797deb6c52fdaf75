import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Namespace } from '../../kernel/index.js';
import { Deferred } from '../../kernel/index.js';
import { ModuleError, positionOfImport } from '../errors/module-error.js';
import { plainNames } from '../errors/source-mapped-stacks.js';
import { fromNative } from '../native.js';
import { forget } from './common-js.js';
import type { Source } from './source.js';
import { BODY_MARKER } from './transform.js';

export type Target = Module | Package;

export interface ModuleLoader {
  import(specifier: string, importer: Module, options?: ImportCallOptions): Promise<Namespace>;
  url(specifier: string, importer: string): string;
}

/** A module that Node imports; it is never evaluated again. */
export class Package {
  namespace: Namespace | undefined;

  constructor(
    readonly specifier: string,
    readonly importer: Source,
  ) {}

  async run(): Promise<void> {
    const options = this.specifier.endsWith('.json') ? { with: { type: 'json' } } : undefined;
    try {
      this.namespace ??= await this.importer.native(this.specifier, options);
    } catch (error) {
      if (this.specifier.startsWith('file:')) forget(fileURLToPath(this.specifier));
      throw fromNative(error, this.importer.file, `'${this.specifier}' does not parse: `);
    }
  }
}

const NO_META = {};

/** An evaluation of a project module. Its function is called immediately, and waits at its imports for the other modules. */
export class Module {
  readonly targets = new Map<string, Target>();
  readonly dynamicImports = new Map<string, string | undefined>();
  readonly exports: Namespace = Object.create(null);
  readonly namespace: Namespace = Object.create(null, { [Symbol.toStringTag]: { value: 'Module' } });
  readonly #body: Promise<void>;
  readonly #linked = new Deferred();
  readonly #entered = new Deferred();
  readonly #imported = new Deferred();
  /** Called when it has ended, or waits for something: then the next module begins. */
  readonly #begun = new Deferred();
  order: EvaluationOrder<Module> | undefined;
  #finished: Promise<void> | undefined;
  #state: 'new' | 'evaluating' | 'evaluated' | 'failed' = 'new';

  constructor(
    readonly source: Source,
    public loader: ModuleLoader,
  ) {
    const { body, readsMeta } = source;
    const importDynamically = async (specifier: unknown, options?: ImportCallOptions) =>
      this.loader.import(String(specifier), this, options);
    this.#body = body(
      this.exports,
      // Few modules read it, and creating a URL takes longer than all other work here.
      readsMeta ? this.#meta() : NO_META,
      (specifier) => this.#load(specifier),
      importDynamically,
      () => {},
    );
  }

  #meta(): object {
    const { file } = this.source;
    return Object.assign(Object.create(null), {
      dirname: path.dirname(file),
      filename: file,
      resolve: (specifier: string) => this.loader.url(specifier, file),
      url: pathToFileURL(file).href,
    });
  }

  get imports(): readonly Module[] {
    return [...this.targets.values()].filter((target) => target instanceof Module);
  }

  /** Whether its namespace, and the namespaces of all its imports, are complete. */
  get linked(): boolean {
    return !Object.isExtensible(this.namespace);
  }

  get evaluating(): boolean {
    return this.#state === 'evaluating';
  }

  get evaluated(): boolean {
    return this.#state === 'evaluated';
  }

  /** Gives the imports their namespaces, so that functions can be called before the module is evaluated. */
  enter(): Promise<void> {
    this.#linked.resolve();
    return this.#entered.promise;
  }

  /** Evaluates the module and its cycle once, after all its imports; an error is thrown again at each call. */
  run(): Promise<void> {
    if (!this.order) orderEvaluation<Module>(this);
    return (this.order?.cycle ?? this).#finish();
  }

  #finish(): Promise<void> {
    this.#finished ??= this.#run();
    return this.#finished;
  }

  async #run(): Promise<void> {
    try {
      await this.#entered.promise;
      await this.#runImports();
      this.#imported.resolve();
      this.#state = 'evaluating';
      await this.#body;
      this.#state = 'evaluated';
    } catch (error) {
      this.#state = 'failed';
      if (error instanceof TypeError || error instanceof ReferenceError)
        error.message = plainNames(error.message);
      throw error;
    } finally {
      this.#begun.resolve();
    }
    const value = this.exports.default;
    if (typeof value === 'function' && value.name === '__vite_ssr_export_default__')
      Object.defineProperty(value, 'name', { value: 'default', configurable: true });
  }

  /** Modules begin one after the other; a module with a top-level `await` finishes in its own time. */
  async #runImports(): Promise<void> {
    const waiting = new Map<Module, Promise<void>>();
    for (const target of this.targets.values()) {
      const last = target instanceof Module ? this.order?.before.get(target) : undefined;
      if (target instanceof Package) await target.run();
      if (!last) continue;
      const finished = last.#finish();
      finished.catch(() => {});
      waiting.set(last, finished);
      await last.#begun.promise;
      if (last.#state === 'failed') await finished;
    }
    for (const { specifier, names } of this.source.shape.imports) {
      const target = this.targets.get(specifier);
      const known = target instanceof Package && target.namespace;
      for (const name of names) if (known && !(name in known)) throw this.missing(specifier, name);
    }
    if ([...waiting.keys()].some((module) => !module.evaluated)) this.#begun.resolve();
    await Promise.all(waiting.values());
  }

  /** The namespace that the code gets for an import. The last import is a gate: the module is evaluated after it. */
  async #load(specifier: string): Promise<Namespace | undefined> {
    await this.#linked.promise;
    const target = this.targets.get(specifier);
    if (!target?.namespace) {
      this.#entered.resolve();
      await this.#imported.promise;
    }
    if (specifier === BODY_MARKER) void this.#resolveBegun();
    return target?.namespace;
  }

  /** The code after the gate runs in the next microtask; if it does not wait, its end is known two microtasks later. */
  async #resolveBegun(): Promise<void> {
    for (let passed = 0; passed < 4; passed += 1) await undefined;
    this.#begun.resolve();
  }

  missing(specifier: string, name: string): ModuleError {
    const { file, text } = this.source;
    const message = `The requested module '${specifier}' does not provide an export named '${name}'`;
    return new ModuleError('ERR_MODULE_EXPORT', message, file, positionOfImport(text, specifier, name));
  }
}

/** The position of a module in the evaluation order, among the modules that it was first imported with. */
interface EvaluationOrder<Module> {
  /** A promise for each earlier import that it waits for. Imports that wait for this module themselves are not included. */
  readonly before: ReadonlyMap<Module, Module>;
  /** The member of its cycle that was reached first: other modules wait for this one, and so for the whole cycle. */
  cycle: Module;
}

interface OrderedModule<Module> {
  readonly imports: readonly Module[];
  order: EvaluationOrder<Module> | undefined;
}

/** Sets the `order` of `root` and all its imports, before the first of them waits (ECMA-262 §16.2.1.6.1.3). */
function orderEvaluation<Module extends OrderedModule<Module>>(root: Module): void {
  const indices = new Map<Module, number>();
  const path = new Set<Module>();
  /** Modules whose cycle is not known yet. */
  const open = new Set<Module>();

  const visit = (module: Module): number => {
    const index = indices.size;
    let lowest = index;
    const before = new Map<Module, Module>();
    module.order = { before, cycle: module };
    indices.set(module, index);
    path.add(module);
    open.add(module);
    for (const imported of module.imports) {
      if (!imported.order) lowest = Math.min(lowest, visit(imported));
      if (open.has(imported)) lowest = Math.min(lowest, indices.get(imported) ?? index);
      const last = open.has(imported) ? imported : imported.order?.cycle;
      if (last && !path.has(imported)) before.set(imported, last);
    }
    path.delete(module);
    if (lowest === index) {
      for (const member of [...open].slice([...open].indexOf(module))) {
        if (member.order) member.order.cycle = module;
        open.delete(member);
      }
    }
    return lowest;
  };
  visit(root);
}
