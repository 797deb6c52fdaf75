import { relative } from 'node:path';
import { BootError, describeProblem, messageOf, type Notice, type Resolved } from '../../kernel/index.js';
import { ModuleError, modulePath, problemOf, type Renewal } from '../../loader/index.js';
import { RELOAD, type Reload, type RouteChanges } from './reload-channel.js';
import type { RunningVersion } from './version.js';

export interface ReloadReporter {
  /** A version with the edits in `files` serves; `modules` were evaluated for it. `routes` is missing if no version served before. */
  reloaded(
    files: readonly string[],
    modules: number,
    duration: number,
    routes?: Pick<RouteChanges, 'added' | 'removed'>,
  ): void;
  unchanged(files: readonly string[]): void;
  /** The version with the edits in `files` takes so long that the last good version answers requests meanwhile. */
  delayed(files: readonly string[]): void;
  /** The edits in `files` are broken. If `isServing`, the last good version keeps serving; otherwise nothing serves. */
  broken(error: unknown, files: readonly string[], isServing: boolean): void;
  /** Lines that a subscriber of the channel `fwk.reload` adds below the report. */
  addNotes(notes: Promise<readonly string[]>): void;
}

export class ChangeReport {
  readonly #unreported = new Set<string>();

  constructor(
    private readonly root: string,
    /** Every edited file that no version serves yet, reported or not. */
    private readonly changed: ReadonlySet<string>,
    private readonly reporter: ReloadReporter,
  ) {}

  add(file: string): void {
    this.#unreported.add(file);
  }

  served({ loader }: RunningVersion, duration: number): void {
    if (this.#unreported.size === 0) return;
    this.#publish(duration, undefined);
    this.reporter.reloaded(this.#names(), loader.files.size, duration);
    this.#unreported.clear();
  }

  /** No version serves, because of `thrown`. `error` is what people read about it. */
  notServed(thrown: unknown, error: unknown, duration: number): void {
    this.#publish(duration, thrown);
    this.reporter.broken(error, this.#names(), false);
    this.#unreported.clear();
  }

  reloaded(renewal: Renewal, current: RunningVersion, next: RunningVersion, duration: number): void {
    const routes = addedAndRemoved(current, next);
    const haveRoutesChanged = routes.added.length > 0 || routes.removed.length > 0;
    // Restoring the old text of a file is worth a report if that repairs something or brings a route back.
    if (current.project.run.staleNotices.length === 0 && !haveRoutesChanged) this.#forget(renewal);
    if (this.#unreported.size === 0) return;
    if (RELOAD.hasSubscribers) this.#publish(duration, undefined, routeChanges(current, next, renewal.stale));
    this.reporter.reloaded(this.#names(), renewal.stale.size, duration, routes);
    this.#unreported.clear();
  }

  unchanged(renewal: Renewal): void {
    this.#forget(renewal);
    if (this.#unreported.size === 0) return;
    this.reporter.unchanged(this.#names());
    this.#unreported.clear();
  }

  delayed({ project }: RunningVersion): void {
    const names = this.#names();
    // If the event loop is blocked, the watcher may not have reported yet which files were saved.
    if (names.length === 0) return;
    this.reporter.delayed(names);
    project.run.staleNotices = [{ message: `${names.join(', ')}: the version with it is not ready.` }];
  }

  broken(thrown: unknown, { project }: RunningVersion, duration: number): void {
    this.#publish(duration, thrown);
    const { error, notices } = describeFailure(thrown, this.root);
    this.reporter.broken(error, this.#names(), true);
    project.run.staleNotices = notices;
    this.#unreported.clear();
  }

  #publish(duration: number, error: unknown, routes: RouteChanges = NO_ROUTE_CHANGES): void {
    if (!RELOAD.hasSubscribers) return;
    const notes: Reload['notes'] = [];
    const isServed = error === undefined;
    RELOAD.publish({ isServed, files: this.#names(), duration, error, routes, notes } satisfies Reload);
    for (const note of notes) this.reporter.addNotes(note);
  }

  #forget({ edited }: Renewal): void {
    for (const file of this.#unreported) if (!edited.has(file)) this.#unreported.delete(file);
  }

  #names(): string[] {
    const files = this.#unreported.size > 0 ? this.#unreported : this.changed;
    return [...files].sort().map((file) => relative(this.root, file));
  }
}

/** Why a version does not serve: a BootError if the project is at fault, and the sentences that its pages show. */
export function describeFailure(thrown: unknown, root: string): { error: unknown; notices: Notice[] } {
  const error =
    thrown instanceof ModuleError ? new BootError(problemOf(thrown, '', '', root, 'FWK106')) : thrown;
  if (!(error instanceof BootError)) return { error, notices: [{ message: messageOf(error) }] };
  const notices = error.problems.map((problem) => ({
    code: problem.code,
    message: describeProblem(problem),
  }));
  return { error, notices };
}

const NO_ROUTE_CHANGES: RouteChanges = { added: [], removed: [], changed: [] };

function routeChanges(before: Resolved, after: Resolved, stale: ReadonlySet<string>): RouteChanges {
  const labels = labelsOfOthers(before, after);
  const [old, now] = [filesByLabel(before, labels), filesByLabel(after, labels)];
  const isStale = (file: string): boolean => stale.has(modulePath(after.project.source, file));
  const isChanged = (label: string, files: readonly string[]): boolean =>
    files.some(isStale) || files.join('\n') !== old.get(label)?.join('\n');
  return {
    ...addedAndRemoved(before, after),
    changed: [...now]
      .filter(([label, files]) => old.has(label) && isChanged(label, files))
      .map(([label]) => label),
  };
}

function labelsOfOthers({ routes: before }: Resolved, { routes: after }: Resolved): ReadonlySet<string> {
  const [old, now] = [new Set(before), new Set(after)];
  const others = [...before.filter((route) => !now.has(route)), ...after.filter((route) => !old.has(route))];
  return new Set(others.map(({ label }) => label));
}

function addedAndRemoved(
  { routes: before }: Resolved,
  { routes: after }: Resolved,
): Pick<RouteChanges, 'added' | 'removed'> {
  // The common case: an edit adds and removes no route.
  if (before.length === after.length && before.every(({ label }, at) => label === after[at]?.label))
    return NO_ROUTE_CHANGES;
  const labelsOf = (routes: Resolved['routes']) => new Set(routes.map(({ label }) => label));
  const [old, now] = [labelsOf(before), labelsOf(after)];
  return {
    added: [...now].filter((label) => !old.has(label)),
    removed: [...old].filter((label) => !now.has(label)),
  };
}

function filesByLabel(
  { routes }: Resolved,
  labels: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const { label, file, chain = [] } of routes)
    if (labels.has(label)) files.set(label, [...(files.get(label) ?? []), file, ...chain]);
  return files;
}
