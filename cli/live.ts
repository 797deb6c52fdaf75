import { join, relative } from 'node:path';
import {
  BootError,
  describeProblem,
  messageOf,
  type Place,
  type Resolved,
  type Shell,
  type SourceLoader,
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
  #loader: SourceLoader;
  #current: Resolved | undefined;
  #changed = new Set<string>();

  constructor(place: Place, shell: Shell) {
    this.#place = place;
    this.#shell = shell;
    this.#loader = sourceLoader(place.root);
  }

  /** Throws what keeps the first generation from being served. */
  async start(): Promise<void> {
    this.#current = await this.#serve(this.#loader);
  }

  /** Whether the project that is served has imported `file`. */
  uses(file: string): boolean {
    return this.#loader.files.has(file);
  }

  /** Serve the project anew. While this runs, requests wait; changes that come meanwhile are taken along. */
  async reload(files: Iterable<string>): Promise<void> {
    for (const file of files) this.#changed.add(relative(this.#place.root, file));
    this.#shell.reloading ??= this.#run().finally(() => {
      this.#shell.reloading = undefined;
    });
    await this.#shell.reloading;
  }

  async close(): Promise<void> {
    await this.#shell.reloading;
    await this.#current?.close();
  }

  async #run(): Promise<void> {
    while (this.#changed.size > 0) {
      const names2 = [...this.#changed].map((f) => join(this.#place.root, f));
      const names = [...this.#changed].sort().join(', ');
      this.#changed.clear();
      const start = performance.now();
      try {
        const previous = this.#current;
        this.#current = await this.#serve((await this.#loader.renew([...names2])).loader);
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

  async #serve(loader: SourceLoader): Promise<Resolved> {
    const kernel = await openSources(this.#place, terminalLogger(this.#place.root), loader);
    await generate(kernel, this.#place, 'types');
    const served = await kernel.serve(this.#shell);
    this.#loader = loader;
    return served;
  }
}
