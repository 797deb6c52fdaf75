import { relative } from 'node:path';
import { RELOAD, type Reload, type RouteChanges } from '../../app/reload.js';
import type { Renewal } from '../../kernel/internal.js';
import { describeBroken } from '../terminal/problems.js';
import {
  changedNothing,
  listKept,
  listRouteChanges,
  notServed,
  reloaded,
  stillServing,
} from '../terminal/report.js';
import { NO_ROUTE_CHANGES, routeChanges } from './route-changes.js';
import type { RunningVersion } from './version.js';

/** Reports to people what their edits led to, since the last report. */
export class ChangeReport {
  readonly #root: string;
  /** All that is not served, reported or not. */
  readonly #changed: ReadonlySet<string>;
  readonly #unreported = new Set<string>();

  constructor(root: string, changed: ReadonlySet<string>) {
    this.#root = root;
    this.#changed = changed;
  }

  /** `file` has changed. */
  add(file: string): void {
    this.#unreported.add(file);
  }

  /** Something is served, where nothing was before. */
  served({ loader }: RunningVersion, took: number): void {
    if (this.#unreported.size === 0) return;
    this.#publish(took, undefined);
    console.log(reloaded(this.#names(), loader.files.size, took));
    this.#unreported.clear();
  }

  /** Nothing is served yet but what is wrong. */
  notServed(thrown: unknown, text: unknown, took: number): void {
    this.#publish(took, thrown);
    console.error(text);
    console.error(notServed());
    this.#unreported.clear();
  }

  reloaded(renewal: Renewal, current: RunningVersion, next: RunningVersion, took: number): void {
    const changes = listRouteChanges(current.routes, next.routes);
    // Where something was broken, or a route away, a text put back is what mends it.
    if (current.project.run.staleNotices.length === 0 && changes.length === 0) this.#forget(renewal);
    if (this.#unreported.size === 0) return;
    if (RELOAD.hasSubscribers) this.#publish(took, undefined, routeChanges(current, next, renewal.stale));
    console.log(reloaded(this.#names(), renewal.stale.size, took));
    const notes = [...changes, ...listKept(this.#names())];
    for (const line of notes) console.log(line);
    this.#unreported.clear();
  }

  nothing(renewal: Renewal): void {
    this.#forget(renewal);
    if (this.#unreported.size === 0) return;
    const names = this.#names();
    for (const line of [changedNothing(names), ...listKept(names)]) console.log(line);
    this.#unreported.clear();
  }

  late({ project }: RunningVersion): void {
    const names = this.#names();
    // A process that is kept from running may not have been told yet what was saved.
    if (names.length === 0) return;
    console.error(stillServing(names));
    project.run.staleNotices = [{ message: `${names.join(', ')}: the version with it is not ready.` }];
  }

  broken(thrown: unknown, { project }: RunningVersion, took: number): void {
    this.#publish(took, thrown);
    const { text, notices } = describeBroken(thrown, this.#root);
    console.error(text);
    console.error(stillServing(this.#names()));
    project.run.staleNotices = notices;
    this.#unreported.clear();
  }

  #publish(duration: number, error: unknown, routes: RouteChanges = NO_ROUTE_CHANGES): void {
    if (!RELOAD.hasSubscribers) return;
    const notes: Reload['notes'] = [];
    const isServed = error === undefined;
    RELOAD.publish({ isServed, files: this.#names(), duration, error, routes, notes } satisfies Reload);
    // They come when the line about the save has been written.
    for (const note of notes)
      note.then(
        (lines) => {
          for (const line of lines) console.log(line);
        },
        (thrown: unknown) => console.error(thrown),
      );
  }

  /** A file that was saved unchanged is not reported. */
  #forget({ edited }: Renewal): void {
    for (const file of this.#unreported) if (!edited.has(file)) this.#unreported.delete(file);
  }

  /** The files that were not reported yet, or else all that are not served. */
  #names(): string[] {
    const files = this.#unreported.size > 0 ? this.#unreported : this.#changed;
    return [...files].sort().map((file) => relative(this.#root, file));
  }
}
