import type { AsyncResource } from 'node:async_hooks';
import type { Closing } from './socket.js';

type Closed = (closing: Closing) => unknown;

/** What a handler registered for the end of its connection. */
export class Closers {
  readonly #context: AsyncResource;
  readonly #onFailure: (thrown: unknown) => void;
  readonly #waiting: Closed[] = [];
  #closing: Closing | undefined;

  /** They run in `context`; `onFailure` is called with what one throws. */
  constructor(context: AsyncResource, onFailure: (thrown: unknown) => void) {
    this.#context = context;
    this.#onFailure = onFailure;
  }

  add(closed: Closed): void {
    // Registered by a handler that still ran after the end: what it began must end nevertheless.
    if (this.#closing) void this.#call(closed, this.#closing);
    else this.#waiting.push(closed);
  }

  /** Run them, one after the other. */
  async run(closing: Closing): Promise<void> {
    this.#closing = closing;
    for (const closed of this.#waiting) await this.#call(closed, closing);
  }

  async #call(closed: Closed, closing: Closing): Promise<void> {
    try {
      await this.#context.runInAsyncScope(closed, undefined, closing);
    } catch (thrown) {
      this.#onFailure(thrown);
    }
  }
}
