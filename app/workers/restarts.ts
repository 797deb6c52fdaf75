import type { WorkerProcess } from './worker-process.js';

/** Milliseconds that a worker must serve for, not to count as one that ended at once. */
const EARLY_END_MS = 5_000;
/** How often in a row one may end at once, or not boot at all. */
export const MAX_EARLY_ENDS = 5;
/** Milliseconds until the first of them has a successor; each that follows waits twice as long as the one before. */
export const FIRST_RESTART_DELAY_MS = 100;
/** The longest wait, so that an app which is mended from outside serves again soon. */
const MAX_RESTART_DELAY_MS = 10_000;

/** When the workers at one place of the team are replaced. */
export class Restarts {
  /** How many in a row ended at once without an error that nothing caught. */
  #failures = 0;
  /** How many in a row had one soon after they began to serve. */
  #crashes = 0;

  /**
   * Milliseconds until a worker that has ended, or is about to by an error, gets a successor; undefined where it gets none. One
   * that has served and then crashed is no sign that the app does not boot: a request may have brought that about, so the first
   * is replaced at once. Those that crash one after another would otherwise have a core busy with starts.
   */
  delayAfter({ readyAt }: Pick<WorkerProcess, 'readyAt'>, hasCrashed: boolean): number | undefined {
    const isYoung = readyAt === undefined || performance.now() - readyAt < EARLY_END_MS;
    this.#failures = isYoung && !hasCrashed ? this.#failures + 1 : 0;
    this.#crashes = isYoung && hasCrashed ? this.#crashes + 1 : 0;
    if (this.#failures === MAX_EARLY_ENDS) return undefined;
    const before = hasCrashed ? this.#crashes - 1 : this.#failures;
    return before > 0 ? Math.min(MAX_RESTART_DELAY_MS, FIRST_RESTART_DELAY_MS * 2 ** (before - 1)) : 0;
  }
}
