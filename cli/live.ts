import { relative } from 'node:path';
import { type Place, type Renewal, type Shell, type SourceLoader, sourceLoader } from '../kernel/host.js';
import { Attempt } from './attempt.js';
import { type Current, renew, serveFirst, serveNext } from './current.js';
import { Gate } from './gate.js';
import {
  changedNothing,
  describeBroken,
  listKept,
  listRouteChanges,
  reloaded,
  stillServing,
} from './report.js';
import type { Change } from './watch/index.js';

/**
 * A project that is served while it is being edited. Each change makes a new generation beside the one that serves,
 * which takes over when it is complete; until then, and when it is broken, the one before goes on.
 */
export class Live {
  readonly #place: Place;
  readonly #shell: Shell;
  readonly #gate: Gate;
  readonly #imported: (files: ReadonlySet<string>) => void;
  /** Undefined until the first generation serves. */
  #current: Current | undefined;
  /** The loader of the newest generation, also if that came to nothing. */
  #newest: SourceLoader;
  /** Absolute paths of what changed since the current generation was made. */
  readonly #changed = new Set<string>();
  /** Those that came after the last attempt was begun, and those that people have not been told of. */
  readonly #fresh = new Set<string>();
  readonly #untold = new Set<string>();
  #attempt: Attempt | undefined;
  #running: Promise<void> | undefined;
  /** When the first sign of what is under way was seen. */
  #since = 0;

  constructor(
    place: Place,
    shell: Shell,
    /** Called with the absolute paths of what has been imported, after each attempt to serve. */
    imported: (files: ReadonlySet<string>) => void,
  ) {
    this.#imported = imported;
    this.#place = place;
    this.#shell = shell;
    this.#gate = new Gate(shell, () => this.#tellLate());
    this.#newest = sourceLoader(place.root);
  }

  /** Throws what keeps the first generation from being served. */
  async start(): Promise<void> {
    this.#current = await serveFirst(this.#place, this.#shell, this.#newest);
    this.#imported(this.#newest.files);
    // What was saved meanwhile may have been read before or after.
    this.#begin();
  }

  /** Whether the project imports `file`, or tries to. */
  uses(file: string): boolean {
    return this.#newest.wants(file) || (this.#current?.loader.wants(file) ?? false);
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
    else if (this.#attempt?.isAnswering) this.#gate.open();
    if (this.#current) this.#begin();
  }

  async close(): Promise<void> {
    this.#attempt?.giveUp();
    await this.#running;
    await this.#current?.close();
  }

  #begin(): void {
    if (this.#running) return;
    if (this.#fresh.size === 0) this.#gate.open();
    else this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (this.#fresh.size > 0) {
      for (const file of this.#fresh) {
        this.#changed.add(file);
        this.#untold.add(file);
      }
      this.#fresh.clear();
      const attempt = new Attempt();
      this.#attempt = attempt;
      await Promise.race([this.#next([...this.#changed].sort(), attempt), attempt.givenUp]);
      this.#imported(this.#newest.files);
    }
    this.#running = undefined;
    this.#gate.open();
  }

  /** Make the next generation and have it take over. Never rejects: what is wrong is told. */
  async #next(files: readonly string[], attempt: Attempt): Promise<void> {
    const current = this.#current;
    if (!current) return;
    let took = 0;
    try {
      const renewal = await renew(current, this.#place.root, files);
      this.#newest = renewal.loader;
      const next = await serveNext(current, { files, renewal }, this.#place, this.#shell, {
        givenUp: attempt.givenUp,
        onTrial: () => {
          attempt.check();
          attempt.isAnswering = true;
          renewal.loader.adopt();
          this.#gate.open();
          took = performance.now() - this.#since;
        },
        onTakeOver: () => {
          attempt.check();
          this.#attempt = undefined;
        },
        onTakenBack: () => {
          attempt.isAnswering = false;
          current.loader.adopt();
          if (!attempt.isGivenUp) this.pending();
        },
      });
      attempt.check();
      this.#changed.clear();
      if (!next) return this.#tellNothing(renewal);
      this.#current = next;
      this.#tellReloaded(renewal, current, next, took);
      // Its last requests end in their own time.
      void current
        .close()
        .catch((thrown) => current.project.logger.error('The version before did not end well:', thrown));
    } catch (thrown) {
      if (!attempt.isGivenUp) this.#tellBroken(thrown, current);
    }
  }

  #tellReloaded(renewal: Renewal, current: Current, next: Current, took: number): void {
    // Where something was broken, a text put back is what mends it.
    if (current.project.outdated.length === 0) this.#forget(renewal);
    if (this.#untold.size === 0) return;
    console.log(reloaded(this.#names(), renewal.stale.size, took));
    const notes = [...listRouteChanges(current.routes, next.routes), ...listKept(this.#names())];
    for (const line of notes) console.log(line);
    this.#untold.clear();
  }

  #tellNothing(renewal: Renewal): void {
    this.#forget(renewal);
    if (this.#untold.size === 0) return;
    const names = this.#names();
    for (const line of [changedNothing(names), ...listKept(names)]) console.log(line);
    this.#untold.clear();
  }

  /** What was saved as it was is no news. */
  #forget({ edited }: Renewal): void {
    for (const file of this.#untold) if (!edited.has(file)) this.#untold.delete(file);
  }

  #tellLate(): void {
    const names = this.#names();
    console.error(stillServing(names));
    if (this.#current)
      this.#current.project.outdated = [`${names.join(', ')}: the version with it is not ready.`];
  }

  #tellBroken(thrown: unknown, { project }: Current): void {
    const { text, sentences } = describeBroken(thrown, this.#place.root);
    console.error(text);
    console.error(stillServing(this.#names()));
    project.outdated = sentences;
    this.#untold.clear();
  }

  /** What people have not been told of, or else all that is not served. */
  #names(): string[] {
    const files = this.#untold.size > 0 ? this.#untold : this.#changed;
    return [...files].sort().map((file) => relative(this.#place.root, file));
  }
}
