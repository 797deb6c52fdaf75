import { relative } from 'node:path';
import {
  BootError,
  describeProblem,
  type Loader,
  messageOf,
  type Place,
  type Resolved,
  type Shell,
  sourceLoader,
} from '../kernel/host.js';
import { generate } from './generate.js';
import { openSources } from './project.js';
import { listProblems, reloaded, stillServing } from './report.js';
import { terminalLogger } from './terminal.js';

/** A project that is served while it is being edited: each change makes a new generation, which takes over at once. */
export class Live {
  readonly #place: Place;
  readonly #shell: Shell;
  #loader: Loader;
  #current: Resolved | undefined;
  #changed = new Set<string>();
  #starting: Promise<unknown> = Promise.resolve();
  /** Set while something may have been saved, and nobody knows yet what. */
  #pending: Promise<void> | undefined;
  #told = () => {};

  constructor(place: Place, shell: Shell) {
    this.#place = place;
    this.#shell = shell;
    this.#loader = sourceLoader(place.root);
  }

  /** Throws what keeps the first generation from being served. */
  async start(): Promise<void> {
    const serving = this.#serve(this.#loader);
    this.#starting = serving.catch(() => {});
    this.#current = await serving;
  }

  /** Absolute paths of the modules of the project that is served. */
  get files(): Iterable<string> {
    return this.#loader.files;
  }

  /** Whether the project that is served has imported `file`. */
  uses(file: string): boolean {
    return new Set(this.#loader.files).has(file);
  }

  /** Something may have been saved: requests wait until `reload` has been told what, and is done. */
  expect(): void {
    this.#pending ??= new Promise((resolve) => {
      this.#told = resolve;
    });
    this.#shell.reloading ??= this.#run().finally(() => {
      this.#shell.reloading = undefined;
    });
  }

  /** Serve the project anew, if there are changes. What comes meanwhile is taken along. */
  async reload(files: Iterable<string>): Promise<void> {
    for (const file of files) this.#changed.add(relative(this.#place.root, file));
    this.#pending = undefined;
    this.#told();
    await this.#shell.reloading;
  }

  async close(): Promise<void> {
    await this.#shell.reloading;
    await this.#current?.close();
  }

  async #run(): Promise<void> {
    await this.#starting;
    while (this.#pending || this.#changed.size > 0) {
      await this.#pending;
      if (this.#changed.size === 0) continue;
      const names = [...this.#changed].sort().join(', ');
      this.#changed.clear();
      const start = performance.now();
      try {
        const previous = this.#current;
        this.#current = await this.#serve(this.#loader.renew());
        // Its last requests end in their own time.
        void previous?.close();
        console.log(reloaded(names, performance.now() - start));
      } catch (thrown) {
        console.error(thrown instanceof BootError ? listProblems(thrown, this.#place.root) : thrown);
        if (this.#current)
          this.#current.project.outdated =
            thrown instanceof BootError ? thrown.problems.map(describeProblem) : [messageOf(thrown)];
        console.error(stillServing(names));
      }
    }
  }

  async #serve(loader: Loader): Promise<Resolved> {
    const kernel = await openSources(this.#place, terminalLogger(this.#place.root), loader);
    await generate(kernel, this.#place, 'types');
    const served = await kernel.serve(this.#shell);
    this.#loader = loader;
    return served;
  }
}
