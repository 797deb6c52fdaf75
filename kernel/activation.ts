import { BootError } from './errors.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';
import type { Verification } from './verification.js';

/** How one version is succeeded by the next. */
export interface ReloadObserver {
  /** Resolves when the next is not wanted any more: it gives up, and what serves goes on serving. */
  readonly givenUp: Promise<void>;
  /** The next is about to answer, on `trial`. Throws to call it off. */
  onActivate(trial: Verification): void;
  /** What was on trial no longer answers. */
  onRolledBack(): void;
  /** The next takes over. Throws to call it off; later is too late. */
  onStart(): void;
}

/** How a version begins to serve: on trial, then for good, or not at all. */
export class Activation {
  readonly #project: Project;
  readonly #trials: (() => () => void)[] = [];
  readonly #beginnings: (() => unknown)[] = [];
  readonly #stops: (() => unknown)[] = [];
  /** Undoes what has begun on trial. */
  readonly #back: (() => void)[] = [];
  #isOnTrial = false;
  /** What plugins are given. */
  readonly registrars: Pick<Serving, 'onActivate' | 'onStart' | 'onClose'> = {
    onActivate: (begin) => void this.#trials.push(begin),
    onStart: (begin) => void this.#beginnings.push(begin),
    onClose: (stop) => void this.#stops.push(stop),
  };

  constructor(project: Project) {
    this.#project = project;
    project.onClose(() => allDone(this.#stops));
  }

  /** Begin. Throws what keeps the version from serving; then `takeBack` is to be called. */
  async run(succession: ReloadObserver | undefined): Promise<void> {
    const { verification: trial } = this.#project;
    // First, so that one that is not wanted any more never answers.
    succession?.onActivate(trial);
    this.#isOnTrial = true;
    for (const begin of this.#trials) this.#back.push(begin());
    if (succession) await unless(succession.givenUp, trial.run());
    if (this.#project.problems.length > 0) throw new BootError(this.#project.problems);
    succession?.onStart();
    for (const begin of this.#beginnings) await begin();
    trial.end();
  }

  /** Have serve what served before, and end the version. */
  async rollback(succession: ReloadObserver | undefined): Promise<void> {
    const { logger, verification: trial } = this.#project;
    if (this.#isOnTrial) succession?.onRolledBack();
    for (const back of this.#back.reverse()) back();
    trial.end();
    const closed = this.#project.close();
    if (!this.#isOnTrial) return closed;
    // Its requests may wait for what serves instead: waiting for them here would be for ever.
    closed.catch((thrown) => logger.error('A version that was taken back did not end well:', thrown));
  }
}

/** What `done` resolves with, unless `givenUp` resolves before. */
const unless = (givenUp: Promise<void>, done: Promise<void>): Promise<void> =>
  Promise.race([givenUp.then(() => Promise.reject(new Error('given up'))), done]);

/** Runs them all at once. One that fails keeps the others from nothing, but is told when all are done. */
async function allDone(stops: readonly (() => unknown)[]): Promise<void> {
  const ends = await Promise.allSettled(stops.map(async (stop) => stop()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
