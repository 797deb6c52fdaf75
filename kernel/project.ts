import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { BootError, messageOf, type Problem } from './errors.js';
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
import { loggerOnly, type Scopes } from './scope.js';

/** One claimed file. Known by its path alone; importing it is a separate, explicit step. */
export interface Entry {
  /** What the claim called it. */
  readonly kind: string;
  /** Path relative to the source directory, with forward slashes. */
  readonly file: string;
}

export interface Place {
  /** Absolute path of the project: where package.json, views/ and .fwk/ are. */
  readonly root: string;
  /** Absolute path of the directory that the convention directories are in: `root`, or `src` below it. */
  readonly source: string;
}

/** Find the source directory of the project in `directory`: `src/` if it holds one of `marks` or an entry file. */
export function locate(directory: string, marks: readonly string[]): Place {
  const root = resolve(directory);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (!stats)
    throw new BootError({ message: `--dir "${directory}" does not exist. Give the folder of a project.` });
  if (!stats.isDirectory())
    throw new BootError({
      message: `--dir "${directory}" is not a directory. Give the folder of a project.`,
    });
  const src = join(root, 'src');
  const names = existsSync(src) && statSync(src).isDirectory() ? readdirSync(src) : [];
  const isSource = names.some((name) => marks.includes(name) || /^(main|fwk\.config)\.m?[jt]s$/.test(name));
  return { root, source: isSource ? src : root };
}

/** A project in one run: its files, how to import them, what is wrong with them, and what must end with it. */
export class Project implements Place {
  readonly root: string;
  readonly source: string;
  /** Where `ctx` comes from. A plugin that injects values sets it while resolving. */
  scopes: Scopes;
  /** What keeps a newer version of the project from taking over, one sentence per problem; this one is still served. */
  outdated: readonly string[] = [];
  readonly #problems: Problem[] = [];
  readonly #closers: (() => unknown)[] = [];
  readonly #loader: Loader;

  constructor(
    place: Place,
    /** `development`, `production`, `test`, or what NODE_ENV says. */
    readonly mode: string,
    /** Every claimed file, sorted by path. */
    readonly entries: readonly Entry[],
    readonly logger: Logger,
    loader: Loader,
  ) {
    this.root = place.root;
    this.source = place.source;
    this.scopes = loggerOnly(logger);
    this.#loader = loader;
  }

  /** The files of one kind, sorted by path. */
  of(kind: string): readonly Entry[] {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  /** Import a file. Resolves with undefined after reporting why, when it cannot be imported. */
  async load({ file }: Entry): Promise<Namespace | undefined> {
    try {
      return await this.#loader.import(join(this.source, file));
    } catch (thrown) {
      this.reportThrown(file, 'throws when it is imported', thrown);
      return undefined;
    }
  }

  /** Note a problem with `file` (relative to the source directory). All of them are told together, after resolving. */
  report(file: string, message: string): void {
    this.#problems.push({ file: this.display(file), message });
  }

  /** Note what `file` threw, at the place that threw it. `what` completes "the file …". */
  reportThrown(file: string, what: string, thrown: unknown): void {
    const own = thrown instanceof ModuleError;
    const position = own ? thrown : positionOf(thrown, this.root);
    const message = own ? describeModuleError(thrown) : `${what}: ${messageOf(thrown)}. Mend it there.`;
    this.#problems.push(
      position
        ? {
            file: slashed(relative(this.root, position.file)),
            line: position.line,
            message,
            frame: own ? thrown.frame : undefined,
          }
        : { file: this.display(file), message },
    );
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

const slashed = (path: string): string => path.split(sep).join('/');
