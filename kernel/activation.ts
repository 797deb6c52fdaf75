import { BootError } from './errors.js';
import type { Project } from './project.js';
import type { Verification } from './project-run.js';
import type { Serving } from './runtime.js';

/** Follows a version while it is made to serve, and may call it off. */
export interface ReloadObserver {
  /** Aborted when the version is no longer wanted: it is given up, and the version that serves keeps serving. */
  readonly signal: AbortSignal;
  /** The version is about to answer, while `verification` runs. Throws to call it off. */
  onActivate(verification: Verification): void;
  /** The version no longer answers. */
  onRolledBack(): void;
  /** The version serves from now on. Throws to call it off; later is too late. */
  onStart(): void;
}

/** How a version begins to serve: activated first, then started; or rolled back. */
export class Activation {
  readonly #project: Project;
  readonly #activations: (() => unknown)[] = [];
  readonly #starts: (() => unknown)[] = [];
  readonly #stops: (() => unknown)[] = [];
  readonly #rollbacks: unknown[] = [];
  #isActive = false;
  /** The functions that plugins get. */
  readonly registrars: Pick<Serving, 'onActivate' | 'onStart' | 'onClose'>;

  /** `attributeErrors`: makes what a function throws name the plugin that registers it. */
  constructor(project: Project, attributeErrors: (phase: string, run: () => unknown) => () => unknown) {
    this.#project = project;
    this.registrars = {
      onActivate: (begin) => void this.#activations.push(attributeErrors('onActivate', begin)),
      onStart: (begin) => void this.#starts.push(attributeErrors('onStart', begin)),
      onClose: (stop) => void this.#stops.push(attributeErrors('onClose', stop)),
    };
  }

  /** Begin. Throws what keeps the version from serving; then `rollback` is to be called. */
  async run(observer: ReloadObserver | undefined): Promise<void> {
    const { verification } = this.#project.run;
    // First, so that a version that is no longer wanted never answers.
    observer?.onActivate(verification);
    this.#isActive = true;
    for (const begin of this.#activations) this.#rollbacks.push(begin());
    if (observer) await unlessAborted(observer.signal, verification.run());
    if (this.#project.problems.length > 0) throw new BootError(this.#project.problems);
    observer?.onStart();
    for (const begin of this.#starts) await begin();
    // They have the version before, which the rest of this one would keep in memory, and that the one before it, without end.
    this.#rollbacks.length = 0;
    verification.end();
  }

  /** End what plugins do, before what they hold. */
  readonly stop = (): Promise<void> => allDone(this.#stops);

  /** Have the version before serve again, and end this one. */
  async rollback(observer: ReloadObserver | undefined): Promise<void> {
    const { logger, run } = this.#project;
    if (this.#isActive) observer?.onRolledBack();
    // All are called here and now.
    allDone(this.#rollbacks.reverse().map((back) => () => typeof back === 'function' && back())).catch(
      (err) => logger.error({ err }, 'A plugin could not be rolled back'),
    );
    run.verification.end();
    const closed = this.#project.close();
    if (!this.#isActive) return closed;
    // Its requests may wait for the version that serves: to wait for them here would never end.
    closed.catch((err) => logger.error({ err }, 'A version that was rolled back did not end well'));
  }
}

/** The result of `done`; rejects when `signal` is aborted before. */
function unlessAborted(signal: AbortSignal, done: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
  });
  return Promise.race([aborted, done]);
}

/** Runs them all at once. One that fails keeps the others from nothing, but is reported when all are done. */
async function allDone(stops: readonly (() => unknown)[]): Promise<void> {
  const ends = await Promise.allSettled(stops.map(async (stop) => stop()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
