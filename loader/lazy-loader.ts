import type { Namespace } from '../kernel/index.js';
import type { Renewal, SourceLoader } from './loader.js';
import { onDemand } from './on-demand.js';

/** Loads the runner with the first imported module, so that a run without imports doesn't wait for it. */
export class LazyLoader implements SourceLoader {
  readonly #start: () => Promise<SourceLoader>;
  #started: SourceLoader | undefined;

  constructor(start: () => Promise<SourceLoader>) {
    this.#start = onDemand(start);
  }

  get files(): ReadonlySet<string> {
    return this.#started?.files ?? new Set();
  }

  wants(file: string): boolean {
    return this.#started?.wants(file) ?? false;
  }

  get evaluating(): Iterable<string> {
    return this.#started?.evaluating ?? [];
  }

  loaded(source: string, file: string): Namespace | undefined {
    return this.#started?.loaded?.(source, file);
  }

  async import(file: string): Promise<Namespace> {
    return (await this.#loader()).import(file);
  }

  async resolve(specifier: string, importer: string): Promise<string | undefined> {
    return (await this.#loader()).resolve(specifier, importer);
  }

  async renew(changed: Iterable<string>): Promise<Renewal> {
    return (await this.#loader()).renew(changed);
  }

  fresh(): SourceLoader | undefined {
    return this.#started?.fresh();
  }

  prepare(file: string): void {
    this.#started?.prepare(file);
  }

  adopt(): void {
    this.#started?.adopt();
  }

  async #loader(): Promise<SourceLoader> {
    this.#started = await this.#start();
    return this.#started;
  }
}
