import { BootError } from './errors.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';
import type { Trial } from './verification.js';

/** How one generation is succeeded by the next. */
export interface Succession {
  /** Resolves when the next is not wanted any more: it gives up, and what serves goes on serving. */
  readonly givenUp: Promise<void>;
  /** The next is about to answer, on `trial`. Throws to call it off. */
  onTrial(trial: Trial): void;
  /** What was on trial no longer answers. */
  onTakenBack(): void;
  /** The next takes over. Throws to call it off; later is too late. */
  onTakeOver(): void;
}

/** How a generation begins to serve: on trial, then for good, or not at all. */
export class Handover {
  readonly #project: Project;
  readonly #trials: (() => () => void)[] = [];
  readonly #beginnings: (() => unknown)[] = [];
  readonly #stops: (() => unknown)[] = [];
  /** Undoes what has begun on trial. */
  readonly #back: (() => void)[] = [];
  #isOnTrial = false;
  /** What plugins are given. */
  readonly registrars: Pick<Serving, 'onTrial' | 'onTakeOver' | 'onClose'> = {
    onTrial: (begin) => void this.#trials.push(begin),
    onTakeOver: (begin) => void this.#beginnings.push(begin),
    onClose: (stop) => void this.#stops.push(stop),
  };

  constructor(project: Project) {
    this.#project = project;
    project.onClose(() => allDone(this.#stops));
  }

  /** Begin. Throws what keeps the generation from serving; then `takeBack` is to be called. */
  async run(succession: Succession | undefined): Promise<void> {
    const { trial } = this.#project;
    // First, so that one that is not wanted any more never answers.
    succession?.onTrial(trial);
    this.#isOnTrial = true;
    for (const begin of this.#trials) this.#back.push(begin());
    if (succession) await unless(succession.givenUp, trial.run());
    if (this.#project.problems.length > 0) throw new BootError(this.#project.problems);
    succession?.onTakeOver();
    for (const begin of this.#beginnings) await begin();
    trial.end();
  }

  /** Have serve what served before, and end the generation. */
  async takeBack(succession: Succession | undefined): Promise<void> {
    const { logger, trial } = this.#project;
    if (this.#isOnTrial) succession?.onTakenBack();
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
