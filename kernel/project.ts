import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from './claims.js';
import type { ProblemCode } from './codes.js';
import type { ErrorReader, Loader, Logger, Namespace } from './environment.js';
import { type Clock, NOT_PLAIN, type ProjectPaths, slashed, systemClock } from './environment.js';
import type { Problem } from './errors.js';
import { type Metadata, ProjectRun } from './project-run.js';
import { Disposer, type SlotKey, Slots } from './values.js';

export interface ProjectOptions extends ProjectPaths {
  readonly mode: string;
  readonly entries: readonly Entry[];
  /** Makes the logger of one version. */
  readonly makeLogger: () => Logger;
  readonly loader: Loader;
  readonly errors: ErrorReader;
  readonly overrides?: object;
  /** Default: that of the process. */
  readonly clock?: Clock | undefined;
  readonly metadata?: Metadata | undefined;
  /** The metadata is of an earlier process: it has to be verified, as that of `previous` has. */
  readonly isRemembered?: boolean;
  /** `build` checks and records, and starts nothing. Default: `run`. */
  readonly purpose?: 'run' | 'build' | undefined;
  readonly previous?: Project | undefined;
  /** The name of the plugin whose tap is running. */
  readonly caller: () => string;
}

/** A project in one run: its files, how to import them, what is wrong with them, and what must end with it. */
export class Project implements ProjectPaths {
  readonly root: string;
  readonly source: string;
  /** `development`, `production`, `test`, or what NODE_ENV says. */
  readonly mode: string;
  /** Every claimed file, sorted by path. */
  readonly entries: readonly Entry[];
  readonly logger: Logger;
  /** Values that replace what the project provides, by key of `ctx`. Empty but in tests. */
  readonly overrides: ReadonlyMap<string, unknown>;
  readonly language: 'ts' | 'js';
  /** The time that what lasts and what is waited for goes by: of a test app, the one that the test has given it. */
  readonly clock: Clock;
  /** The version that serves until this one starts, from which a plugin may keep what did not change. */
  previous: Project | undefined;
  readonly run: ProjectRun;
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
    for (const entry of entries)
      if (!this.#byKind.get(entry.kind)?.push(entry)) this.#byKind.set(entry.kind, [entry]);
    this.logger = options.makeLogger();
    this.#prefix = slashed(relative(root, join(source, 'x'))).slice(0, -1);
    this.overrides = new Map(Object.entries(overrides));
    this.clock = options.clock ?? systemClock;
    const isTypeScript =
      entries.length > 0 ? entries.some(({ file }) => file.endsWith('ts')) : source !== root;
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

  /** Import a file. Resolves with undefined after reporting why, when it cannot be imported. */
  async load({ file }: Pick<Entry, 'file'>): Promise<Namespace | undefined> {
    return this.import({ file }).catch((thrown: unknown) => {
      this.reportThrown(file, 'throws when it is imported', thrown, 'FWK106');
      return undefined;
    });
  }

  /** The namespace of a file that an edit has left as it was evaluated; undefined where it has to be imported. */
  loaded({ file }: Pick<Entry, 'file'>): Namespace | undefined {
    return this.#loader.loaded?.(this.source, file);
  }

  /** Import a file. Rejects with what keeps it from being imported. */
  import({ file }: Pick<Entry, 'file'>): Promise<Namespace> {
    return this.#loader.import(join(this.source, file));
  }

  /**
   * Where an import of `specifier` in `importer` (both paths absolute, or the URL of a module) leads: the absolute path of
   * a file, the URL of a built-in module, or undefined where it leads nowhere. Nothing is imported.
   */
  resolveImport(specifier: string, importer: string): Promise<string | undefined> {
    return this.#loader.resolve(specifier, importer.startsWith('file:') ? fileURLToPath(importer) : importer);
  }

  /** The value of `key` in this version, made by `make` when it is first asked for. `runtime.slot` outlives versions. */
  slot<T>(key: SlotKey<T>, make: () => T): T {
    return this.#slots.get(key, make);
  }

  /**
   * As `slot`, but handed on from version to version of one app: made where the version before has none of that key. For
   * what a value of `ctx` stands on, since `resolve` knows no runtime. Ask for it while resolving or serving, in every version.
   */
  inherit<T>(key: SlotKey<T>, make: () => T): T {
    return this.slot(key, () => (this.previous ? this.previous.inherit(key, make) : make()));
  }

  /** Note a problem with `file` (relative to the source directory). All of them are reported together, after resolving. */
  report(file: string, message: string, code: ProblemCode): void {
    this.#problems.push({ file: this.display(file), message, code });
  }

  /** Note what `file` threw, at the place that threw it. `what` completes "the file …"; `code` is for what has none of its own. */
  reportThrown(file: string, what: string, thrown: unknown, code: ProblemCode): void {
    this.#problems.push(this.#errors.problemOf(thrown, what, this.display(file), code));
  }

  /** Say that `file` is not done: if that is so for long, `what`, completing "the file …", is reported to people. */
  wait(file: string, what: string): () => void {
    return this.run.wait(`${this.display(file)}: ${what}`);
  }

  /** Problems so far, by file; one that several importers hit is reported once. */
  get problems(): readonly Problem[] {
    const distinct = new Map(this.#problems.map((problem) => [JSON.stringify(problem), problem]));
    return [...distinct.values()].sort((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1));
  }

  /** `file`, relative to the source directory, as people see it: relative to the root. `plugin "…"` stays as it is. */
  display(file: string): string {
    if (file.startsWith('plugin "')) return file;
    // Asked of every file, and `join` and `relative` take longer than reading the path of a route.
    return NOT_PLAIN.test(file) ? slashed(relative(this.root, join(this.source, file))) : this.#prefix + file;
  }

  /** Run `close` when this run of the project ends, last registered first. */
  readonly onClose = (close: () => unknown): void => this.#closers.defer(close);

  readonly close = (): Promise<void> => this.#closers.dispose();
}
