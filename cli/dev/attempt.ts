import type { ReloadObserver, Verification } from '../../kernel/internal.js';

/** Milliseconds after which the first version counts as stuck: then it is reported what it waits for. */
const STUCK_AFTER_MS = 2_000;

/** The making of one version, which is outdated when what it is made of changes. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #began = performance.now();
  /** Aborted when it is given up. */
  readonly signal: ReloadObserver['signal'] = this.#controller.signal;
  /** Resolves when it is given up. */
  readonly ended = new Promise<void>((resolve) => {
    this.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  /** Set while requests are answered by it already. */
  verification: Verification | undefined;
  /** Milliseconds from the first sign of what changed until it answered. */
  took = 0;

  get isGivenUp(): boolean {
    return this.signal.aborted;
  }

  giveUp(): void {
    this.#controller.abort();
  }

  /**
   * Its sources have changed. A version that people have seen keeps serving, unless it is known to be wrong: should the
   * change be broken, the last good version is this one.
   */
  outdate(): void {
    if (this.verification?.hasAnswered) this.verification.cutShort();
    else this.giveUp();
  }

  /**
   * The same for the first one. It continues, since it may be what changes the files itself; but not for ever. Where it answers
   * already, nothing more is verified before the change is served.
   */
  outdateFirst(): void {
    if (this.verification) this.verification.cutShort();
    else if (performance.now() - this.#began > STUCK_AFTER_MS) this.giveUp();
  }

  /** Throws when it has been given up. */
  check(): void {
    if (this.isGivenUp) throw new Error('given up: what it is made of has changed');
  }
}
