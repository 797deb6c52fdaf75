import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from './claims.js';
import type { ProblemCode } from './codes.js';
import type { ErrorReader, Loader, Logger, Namespace } from './environment.js';
import { type Clock, NOT_PLAIN, type ProjectPaths, systemClock, toPosix } from './environment.js';
import type { Problem } from './errors.js';
import { type Metadata, ProjectRun } from './project-run.js';
import { Disposer, type SlotKey, Slots, type WrapCallback } from './values.js';

export interface ProjectOptions extends ProjectPaths {
  readonly mode: string;
  readonly entries: readonly Entry[];
  readonly unclaimed?: readonly string[] | undefined;
  readonly makeLogger: () => Logger;
  readonly loader: Loader;
  readonly errors: ErrorReader;
  readonly overrides?: object;
  /** Default: `systemClock`. */
  readonly clock?: Clock | undefined;
  readonly metadata?: Metadata | undefined;
  /** Whether the metadata is from an earlier process and has to be verified, like the metadata of `previous`. */
  readonly isRemembered?: boolean;
  /** Default: `run`. */
  readonly purpose?: 'run' | 'build' | undefined;
  readonly previous?: Project | undefined;
  readonly caller: () => string;
}

/** One version of a project: its files, their problems, and the resources to close with it. */
export class Project implements ProjectPaths {
  readonly root: string;
  readonly source: string;
  /** `development`, `production`, `test`, or the value of NODE_ENV. */
  readonly mode: string;
  /** Every claimed file, sorted by path. */
  readonly entries: readonly Entry[];
  /** The unclaimed paths in claimed directories; a skipped directory ends with a slash. Undefined if the files were not listed. */
  readonly unclaimed: readonly string[] | undefined;
  readonly logger: Logger;
  /** Values that replace values of `ctx`, by key. Used in tests only. */
  readonly overrides: ReadonlyMap<string, unknown>;
  readonly language: 'ts' | 'js';
  readonly clock: Clock;
  /** The version that serves until this one starts. A plugin may reuse its unchanged parts. */
  previous: Project | undefined;
  readonly run: ProjectRun;
  /** See `Runtime`. */
  wrapCallback: WrapCallback | undefined;
  /** The name of the plugin whose tap is running. */
  readonly caller: () => string;
  readonly #prefix: string;
  readonly #loader: Loader;
  readonly #errors: ErrorReader;
  readonly #problems: Problem[] = [];
  readonly #slots = new Slots();
  readonly #byKind = new Map<string, Entry[]>();
  readonly #closers = new Disposer();

  constructor(options: ProjectOptions) {
    const { root, source, language, mode, entries, loader, errors } = options;
    const { overrides = {}, metadata = new Map(), purpose = 'run', previous, isRemembered = false } = options;
    this.root = root;
    this.source = source;
    this.mode = mode;
    this.entries = entries;
    this.unclaimed = options.unclaimed;
    for (const entry of entries)
      if (!this.#byKind.get(entry.kind)?.push(entry)) this.#byKind.set(entry.kind, [entry]);
    this.logger = options.makeLogger();
    this.#prefix = toPosix(relative(root, join(source, 'x'))).slice(0, -1);
    this.overrides = new Map(Object.entries(overrides));
    this.clock = options.clock ?? systemClock;
    const isTypeScript =
      entries.length > 0 ? entries.some(({ file }) => /\.m?tsx?$/.test(file)) : source !== root;
    this.language = language ?? (isTypeScript ? 'ts' : 'js');
    this.previous = previous;
    this.run = new ProjectRun(purpose, metadata);
    this.run.mustVerify = isRemembered || previous !== undefined;
    this.#loader = loader;
    this.#errors = errors;
    this.caller = options.caller;
  }

  /** The files of one kind, sorted by path. */
  files(kind: string): readonly Entry[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** Import a file. If that fails, report the problem and resolve with undefined. */
  async load({ file }: Pick<Entry, 'file'>): Promise<Namespace | undefined> {
    return this.import({ file }).catch((thrown: unknown) => {
      this.reportThrown(file, 'throws when it is imported', thrown, 'FWK106');
      return undefined;
    });
  }

  /** The namespace of a file that is evaluated and unchanged, or undefined if it has to be imported. */
  loaded({ file }: Pick<Entry, 'file'>): Namespace | undefined {
    return this.#loader.loaded?.(this.source, file);
  }

  /** The files whose modules are not the modules of `previous`; undefined if any may differ. */
  get renewed(): ReadonlySet<string> | undefined {
    const { renewed } = this.#loader;
    return renewed && new Set([...renewed].map((path) => toPosix(relative(this.source, path))));
  }

  /** Import a file. Rejects with the original error. */
  import({ file }: Pick<Entry, 'file'>): Promise<Namespace> {
    return this.#loader.import(join(this.source, file));
  }

  /**
   * Resolve an import of `specifier` in `importer` (an absolute path, or the URL of a module) to the absolute path of a file, the
   * URL of a built-in module, or undefined if it cannot be resolved. Imports nothing.
   */
  resolveImport(specifier: string, importer: string): Promise<string | undefined> {
    return this.#loader.resolve(specifier, importer.startsWith('file:') ? fileURLToPath(importer) : importer);
  }

  /** The value of `key` in this version, made by `make` at the first call. Values of `runtime.slot` outlive versions. */
  slot<T>(key: SlotKey<T>, make: () => T): T {
    return this.#slots.get(key, make);
  }

  /**
   * Like `slot`, but each version takes over the value of the previous version. Use it for resources of `ctx` values, because
   * `resolve` has no runtime. Call it in every version, while resolving or serving. After an edit of the module that defines `key`,
   * the value is made again, because the previous value has the previous code.
   */
  inherit<T>(key: SlotKey<T>, make: () => T): T {
    const { previous } = this;
    return this.slot(key, () =>
      previous && !previous.#slots.isOutdated(key) ? previous.inherit(key, make) : make(),
    );
  }

  /** Add a problem in `file`, relative to the source directory. All problems are reported together, after resolving. */
  report(file: string, message: string, code: ProblemCode): void {
    this.#problems.push({ file: this.display(file), message, code });
  }

  /** Add an error that `file` threw. `what` completes "the file …"; `code` is for errors without a code. */
  reportThrown(file: string, what: string, thrown: unknown, code: ProblemCode): void {
    this.#problems.push(this.#errors.problemOf(thrown, what, this.display(file), code));
  }

  /** Report `what`, completing "the file …", if work on `file` takes long. Call the returned function when it is done. */
  wait(file: string, what: string): () => void {
    return this.run.wait(`${this.display(file)}: ${what}`);
  }

  /** The problems so far, sorted by file, without duplicates: several importers may meet the same problem. */
  get problems(): readonly Problem[] {
    const distinct = new Map(this.#problems.map((problem) => [JSON.stringify(problem), problem]));
    return [...distinct.values()].sort((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1));
  }

  /** Converts `file` from a path relative to the source directory to one relative to the root. `plugin "…"` is unchanged. */
  display(file: string): string {
    if (file.startsWith('plugin "')) return file;
    // Called for every file, and `join` and `relative` are slow.
    return NOT_PLAIN.test(file) ? toPosix(relative(this.root, join(this.source, file))) : this.#prefix + file;
  }

  /** Run `close` when this version ends, last registered first. */
  readonly onClose = (close: () => unknown): void =>
    this.#closers.defer(this.wrapCallback?.('project.onClose', close) ?? close);

  readonly close = (): Promise<void> => this.#closers.dispose();
}
