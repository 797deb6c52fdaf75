import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import {
  BootError,
  Disbelieved,
  describeProblem,
  type Facts,
  type Kernel,
  ModuleError,
  messageOf,
  type Place,
  type Project,
  problemOf,
  type Renewal,
  type Resolved,
  type Shell,
  type SourceLoader,
  sourceLoader,
} from '../kernel/host.js';
import { Attempt } from './attempt.js';
import { Gate } from './gate.js';
import { generate } from './generate.js';
import { openSources } from './project.js';
import { changedNothing, listProblems, listRouteChanges, reloaded, stillServing } from './report.js';
import { terminalLogger } from './terminal.js';
import { type Change, isModule } from './watch.js';

/** The generation that serves, and what the next is made from. */
interface Current extends Resolved {
  readonly kernel: Kernel;
  readonly loader: SourceLoader;
}

/**
 * A project that is served while it is being edited. Each change makes a new generation beside the one that serves,
 * which takes over when it is complete; until then, and when it is broken, the one before goes on.
 */
export class Live {
  readonly #place: Place;
  readonly #shell: Shell;
  readonly #gate: Gate;
  #current: Current;
  /** The loader of the newest generation, also if that came to nothing. */
  #newest: SourceLoader;
  /** Absolute paths of what changed since the current generation was made, and since the last attempt was begun. */
  readonly #changed = new Set<string>();
  readonly #fresh = new Set<string>();
  #attempt: Attempt | undefined;
  #running: Promise<void> | undefined;
  /** When the first sign of what is under way was seen. */
  #since = 0;

  private constructor(place: Place, shell: Shell, current: Current) {
    this.#place = place;
    this.#shell = shell;
    this.#gate = new Gate(shell);
    this.#current = current;
    this.#newest = current.loader;
  }

  /** Throws what keeps the first generation from being served. */
  static async start(place: Place, shell: Shell): Promise<Live> {
    const loader = sourceLoader(place.root);
    const kernel = await openSources(place, { logger: terminalLogger(place.root), loader });
    await generate(kernel, place, 'types');
    return new Live(place, shell, { ...(await kernel.serve(shell)), kernel, loader });
  }

  /** Absolute paths of the files that the project has imported, or has tried to. */
  get files(): ReadonlySet<string> {
    return this.#newest.files;
  }

  /** Something may have changed: requests wait until `change` has told what. */
  pending(): void {
    if (!this.#gate.isClosed) this.#since = performance.now();
    this.#gate.close();
  }

  /** Serve the project anew, with these files as they are now. What is under way is given up: it is outdated. */
  change(files: ReadonlyMap<string, Change>): void {
    for (const file of files.keys()) this.#fresh.add(file);
    if (files.size > 0) this.#attempt?.giveUp();
    if (files.size > 0) this.#running ??= this.#run();
    else if (!this.#running) this.#gate.open();
  }

  async close(): Promise<void> {
    this.#attempt?.giveUp();
    await this.#running;
    await this.#current.close();
  }

  async #run(): Promise<void> {
    while (this.#fresh.size > 0) {
      for (const file of this.#fresh) this.#changed.add(file);
      this.#fresh.clear();
      const attempt = new Attempt();
      this.#attempt = attempt;
      await Promise.race([this.#next([...this.#changed].sort(), attempt), attempt.givenUp]);
    }
    this.#running = undefined;
    this.#gate.open();
  }

  /** Make the next generation and have it take over. Never rejects: what is wrong is told. */
  async #next(changed: readonly string[], attempt: Attempt, believe = true): Promise<void> {
    const previous = this.#current;
    const { project } = previous;
    const { root } = this.#place;
    const names = changed.map((file) => relative(root, file));
    let isAdopted = false;
    try {
      const renewal = await renew(previous.loader, root, changed);
      const { loader, stale } = renewal;
      this.#newest = loader;
      const areModules = changed.every(isModule);
      // Where every file was known before and is still there, the source directory is what it was.
      const isKnown = (file: string) => previous.loader.files.has(file) && existsSync(file);
      const kernel = await openSources(this.#place, {
        logger: project.logger,
        loader,
        previous: project,
        entries: areModules && changed.every(isKnown) ? previous.kernel.entries : undefined,
        facts: believe ? factsThatHold(project, renewal) : undefined,
      });
      attempt.check();
      const isListed = listed(kernel) === listed(previous.kernel);
      if (stale.size === 0 && isListed && areModules && project.outdated.length === 0)
        return console.log(changedNothing(names));
      if (!isListed || !areModules) await generate(kernel, this.#place, 'types');
      const served = await kernel.serve(this.#shell, {
        givenUp: attempt.givenUp,
        onTrial: (routes) => {
          attempt.check();
          loader.adopt();
          isAdopted = true;
          this.#gate.open();
          console.log(reloaded(names, stale.size, performance.now() - this.#since));
          for (const line of listRouteChanges(previous.routes, routes)) console.log(line);
        },
        onTakeOver: () => {
          attempt.check();
          this.#attempt = undefined;
        },
      });
      this.#current = { ...served, kernel, loader };
      this.#changed.clear();
      // Its last requests end in their own time.
      void previous
        .close()
        .catch((thrown) => project.logger.error('The version before did not end well:', thrown));
    } catch (thrown) {
      if (isAdopted) previous.loader.adopt();
      if (attempt.isGivenUp) return;
      if (!(thrown instanceof Disbelieved)) return this.#tell(thrown, names);
      this.pending();
      await this.#next(changed, attempt, false);
    }
  }

  #tell(thrown: unknown, names: readonly string[]): void {
    const { root } = this.#place;
    const error = thrown instanceof ModuleError ? new BootError(problemOf(thrown, '', '', root)) : thrown;
    const isPeoples = error instanceof BootError;
    console.error(isPeoples ? listProblems(error, root) : error);
    console.error(stillServing(names));
    this.#current.project.outdated = isPeoples ? error.problems.map(describeProblem) : [messageOf(error)];
  }
}

/** The loader after `changed`. A new environment may change whatever reads it, which is anything. */
const renew = async (loader: SourceLoader, root: string, changed: readonly string[]): Promise<Renewal> =>
  changed.some((file) => basename(file).startsWith('.env'))
    ? { loader: sourceLoader(root), stale: loader.files, changed: loader.files }
    : loader.renew(changed);

/** What the generation before knew of modules that are as they were, though something that they import is not. */
const factsThatHold = (project: Project, { stale, changed }: Renewal): Facts =>
  new Map(
    [...project.recorded].filter(([file]) => {
      const path = join(project.source, file);
      return stale.has(path) && !changed.has(path);
    }),
  );

const listed = (kernel: Kernel): string =>
  kernel.entries.map(({ kind, file }) => `${kind} ${file}`).join('\n');
