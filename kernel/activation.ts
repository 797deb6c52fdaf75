import { BootError } from './errors.js';
import type { Project } from './project.js';
import type { Verification } from './project-run.js';
import type { Serving } from './runtime.js';

/** Observes the activation of a new version, and can cancel it. */
export interface ReloadObserver {
  /** Aborted to cancel the activation, after a newer edit for example. The current version keeps serving. */
  readonly signal: AbortSignal;
  /** The version is about to answer requests, while `verification` runs. Throws to cancel the activation. */
  onActivate(verification: Verification): void;
  /** The version no longer answers requests. */
  onRolledBack(): void;
  /** The version serves from now on. Throwing here is the last chance to cancel the activation. */
  onStart(): void;
}

/** Makes a version serve: activates it, then starts it. If a step fails, `rollback` undoes the activation. */
export class Activation {
  readonly #project: Project;
  readonly #activations: (() => unknown)[] = [];
  readonly #starts: (() => unknown)[] = [];
  readonly #stops: (() => unknown)[] = [];
  readonly #rollbacks: unknown[] = [];
  #isActive = false;
  /** The functions with which plugins register callbacks. */
  readonly registrars: Pick<Serving, 'onActivate' | 'onStart' | 'onClose'>;

  /** `attributeErrors` wraps a callback so that its errors name the plugin that registered it. */
  constructor(project: Project, attributeErrors: (phase: string, run: () => unknown) => () => unknown) {
    this.#project = project;
    this.registrars = {
      onActivate: (begin) => void this.#activations.push(attributeErrors('onActivate', begin)),
      onStart: (begin) => void this.#starts.push(attributeErrors('onStart', begin)),
      onClose: (stop) => void this.#stops.push(attributeErrors('onClose', stop)),
    };
  }

  /** Activate and start the version. If this throws, call `rollback`. */
  async run(observer: ReloadObserver | undefined): Promise<void> {
    const { verification } = this.#project.run;
    // Called first, so that a cancelled version never answers a request.
    observer?.onActivate(verification);
    this.#isActive = true;
    for (const begin of this.#activations) this.#rollbacks.push(begin());
    if (observer) await unlessAborted(observer.signal, verification.run());
    if (this.#project.problems.length > 0) throw new BootError(this.#project.problems);
    observer?.onStart();
    for (const begin of this.#starts) await begin();
    // The rollback functions refer to the previous version. Keeping them would leak every version.
    this.#rollbacks.length = 0;
    verification.end();
  }

  /** Stop the work of plugins, before their resources are closed. */
  readonly stop = (): Promise<void> => allDone(this.#stops);

  /** Let the previous version serve again, and close this one. */
  async rollback(observer: ReloadObserver | undefined): Promise<void> {
    const { logger, run } = this.#project;
    if (this.#isActive) observer?.onRolledBack();
    // `allDone` calls every function synchronously.
    allDone(this.#rollbacks.reverse().map((back) => () => typeof back === 'function' && back())).catch(
      (err) => logger.error({ err }, 'A plugin could not be rolled back'),
    );
    run.verification.end();
    const closed = this.#project.close();
    if (!this.#isActive) return closed;
    // Requests of this version may wait for the version that serves, so waiting for them here would deadlock.
    closed.catch((err) => logger.error({ err }, 'A version that was rolled back failed to shut down'));
  }
}

/** Resolves like `done`, but rejects if `signal` is aborted first. */
function unlessAborted(signal: AbortSignal, done: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
  });
  return Promise.race([aborted, done]);
}

/** Runs all functions at once and waits for all of them, then throws the first failure. */
async function allDone(stops: readonly (() => unknown)[]): Promise<void> {
  const ends = await Promise.allSettled(stops.map(async (stop) => stop()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
