import { Deferred, type Runtime } from '../../kernel/internal.js';

/** Milliseconds for which requests wait for a new version. One that takes longer is served when it is there. */
const MAX_HOLD_MS = 2_000;

/** Holds requests from the first sign of a change until the version that it makes serves, or turns out to be broken. */
export class RequestHold {
  readonly #runtime: Runtime;
  readonly #late: () => void;
  #held: Deferred | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    runtime: Runtime,
    /** Called when requests have waited long enough, and are answered by what is there. */
    late: () => void,
  ) {
    this.#runtime = runtime;
    this.#late = late;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  begin(): void {
    if (this.isHeld) return;
    this.#held = new Deferred();
    this.#runtime.reloading = this.#held.promise;
    this.#timer = setTimeout(() => {
      this.end();
      this.#late();
    }, MAX_HOLD_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#runtime.reloading = undefined;
    this.#held?.resolve();
    this.#held = undefined;
  }
}
