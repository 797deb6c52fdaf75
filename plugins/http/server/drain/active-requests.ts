import type { RequestListener } from 'node:http';
import { Deferred } from '../../../../kernel/index.js';
import { whenDone } from '../serve/response-end.js';

/** Counts the requests of one listener that are in progress. */
export class ActiveRequests {
  readonly listener: RequestListener;
  #count = 0;
  #idle: Deferred | undefined;

  constructor(listener: RequestListener) {
    this.listener = (raw, out) => {
      this.#count += 1;
      whenDone(out, () => {
        this.#count -= 1;
        if (this.#count === 0) this.#idle?.resolve();
      });
      listener(raw, out);
    };
  }

  /** Resolves when no requests are in progress. */
  async idle(): Promise<void> {
    if (this.#count === 0) return;
    this.#idle = new Deferred();
    await this.#idle.promise;
  }
}
