import { Deferred } from '../../../../kernel/index.js';

/** Counts work that has begun and not ended: requests, or calls. */
export class ActiveWork {
  #count = 0;
  #idle: Deferred | undefined;

  /** Count one more. Returns a function to call when it has ended; later calls have no effect. */
  begin(): () => void {
    this.#count += 1;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.resolve();
    };
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    if (this.#count === 0) return;
    this.#idle = new Deferred();
    await this.#idle.promise;
  }
}
