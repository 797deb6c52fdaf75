import { join, relative, sep } from 'node:path';
import { messageOf, type Problem } from './errors.js';
import {
  describeModuleError,
  type Explanation,
  explain,
  type Loader,
  ModuleError,
  type Namespace,
  positionOf,
} from './load/index.js';
import type { Logger } from './logger.js';
import type { ProjectPaths } from './paths.js';
import { loggerOnly, type Scopes } from './scope.js';
import { Verification } from './verification.js';

/** One claimed file. Known by its path alone; importing it is a separate, explicit step. */
export interface Entry {
  /** What the claim called it. */
  readonly kind: string;
  /** Path relative to the source directory, with forward slashes. */
  readonly file: string;
}

/** What plugins recorded of the files of a compiled project when it was built, by file. */
export type Metadata = ReadonlyMap<string, unknown>;

interface ProjectOptions extends ProjectPaths {
  readonly mode: string;
  readonly entries: readonly Entry[];
  readonly logger: Logger;
  readonly loader: Loader;
  readonly overrides?: object;
  readonly facts?: Metadata | undefined;
  readonly purpose?: 'run' | 'build';
  readonly previous?: Project;
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
  /** `build`: modules are imported to be checked, and nothing of the project is started. */
  readonly purpose: 'run' | 'build';
  /** What plugins recorded in this run, by file. */
  readonly recorded = new Map<string, unknown>();
  readonly #facts: Metadata;
  /** The version that is served until this one takes over, from which a plugin may keep what did not change. */
  previous: Project | undefined;
  /** Where `ctx` comes from. A plugin that injects values sets it while resolving. */
  scopes: Scopes;
  readonly #loader: Loader;
  /** What keeps a newer version of the project from taking over, one sentence per problem; this one is still served. */
  outdated: readonly string[] = [];
  /** Checks what this version believes of files by what was recorded in the one before. */
  readonly verification = new Verification();
  readonly #problems: Problem[] = [];
  readonly #waiting = new Set<string>();
  readonly #closers: (() => unknown)[] = [];

  constructor(options: ProjectOptions) {
    const { root, source, language, mode, entries, logger, loader } = options;
    const { overrides = {}, facts = new Map(), purpose = 'run' } = options;
    this.root = root;
    this.source = source;
    this.mode = mode;
    this.entries = entries;
    this.logger = logger;
    this.overrides = new Map(Object.entries(overrides));
    const isTypeScript =
      entries.length > 0 ? entries.some(({ file }) => file.endsWith('ts')) : source !== root;
    this.language = language ?? (isTypeScript ? 'ts' : 'js');
    this.scopes = loggerOnly(logger);
    this.purpose = purpose;
    this.#facts = facts;
    this.previous = options.previous;
    this.#loader = loader;
  }

  /** The files of one kind, sorted by path. */
  of(kind: string): readonly Entry[] {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  /** Import a file. Resolves with undefined after reporting why, when it cannot be imported. */
  async load({ file }: Pick<Entry, 'file'>): Promise<Namespace | undefined> {
    try {
      return await this.import({ file });
    } catch (thrown) {
      this.reportThrown(file, 'throws when it is imported', thrown);
      return undefined;
    }
  }

  /** The namespace of a file that an edit has left as it was evaluated; undefined where it has to be imported. */
  loaded({ file }: Pick<Entry, 'file'>): Namespace | undefined {
    return this.#loader.loaded?.(join(this.source, file));
  }

  /** Import a file. Rejects with what keeps it from being imported. */
  import({ file }: Pick<Entry, 'file'>): Promise<Namespace> {
    return this.#loader.import(join(this.source, file));
  }

  /**
   * What was recorded of a file, by a build, or by the version before if the file did not change since. What it
   * imports may have: where there is a version before, `trial.add` a check.
   */
  cachedMetadata({ file }: Entry): unknown {
    return this.#facts.get(file);
  }

  /**
   * Remember `facts`, JSON, of a file: from a build for production, from one version for the next, so that neither
   * need import it to know them.
   */
  recordMetadata({ file }: Entry, facts: unknown): void {
    this.recorded.set(file, facts);
  }

  /** Note a problem with `file` (relative to the source directory). All of them are told together, after resolving. */
  report(file: string, message: string): void {
    this.#problems.push({ file: this.display(file), message });
  }

  /** Note what `file` threw, at the place that threw it. `what` completes "the file …". */
  reportThrown(file: string, what: string, thrown: unknown): void {
    this.#problems.push(problemOf(thrown, what, this.display(file), this.root));
  }

  /** Say that `file` is not done: if that is so for long, people are told `what`, completing "the file …". */
  wait(file: string, what: string): () => void {
    const line = `${this.display(file)}: ${what}`;
    this.#waiting.add(line);
    return () => this.#waiting.delete(line);
  }

  /** What is not done, one line each. */
  get waiting(): readonly string[] {
    return [...this.#waiting].sort();
  }

  /** Problems so far, by file; one that several importers hit is told once. */
  get problems(): readonly Problem[] {
    const distinct = new Map(this.#problems.map((problem) => [JSON.stringify(problem), problem]));
    return [...distinct.values()].sort((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1));
  }

  /** `file`, relative to the source directory, as people see it: relative to the root. */
  display(file: string): string {
    return slashed(relative(this.root, join(this.source, file)));
  }

  /** Where a thrown value comes from and what it says, for people. For an error path: it reads stacks and files. */
  explain(thrown: unknown): Explanation {
    return explain(thrown, this.root);
  }

  /** Run `close` when this run of the project ends, last registered first. */
  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}

/** The problem of a thrown value, at the place in the project that threw it, or else in `file`. */
export function problemOf(thrown: unknown, what: string, file: string, root: string): Problem {
  const message =
    thrown instanceof ModuleError
      ? describeModuleError(thrown)
      : `${what}: ${messageOf(thrown)}. Mend it there.`;
  if (thrown instanceof ModuleError)
    return { file: slashed(relative(root, thrown.file)), line: thrown.line, message, frame: thrown.frame };
  const position = positionOf(thrown, root);
  return position
    ? { file: slashed(relative(root, position.file)), line: position.line, message }
    : { file, message };
}

export const slashed = (path: string): string => path.split(sep).join('/');
