import { AsyncResource } from 'node:async_hooks';

/** The end of a stream, and what waits for it. */
export class StreamEnd {
  #hasCome = false;
  readonly #waiting: (() => void)[] = [];
  #signal: AbortSignal | undefined;

  get hasCome(): boolean {
    return this.#hasCome;
  }

  come(): void {
    this.#hasCome = true;
    for (const act of this.#waiting) act();
  }

  /** Resolves when it has come. */
  async wait(): Promise<void> {
    if (!this.#hasCome) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Aborts when it comes. Made for handlers that read it: most do not, and it takes as long as some events. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const abort = new AbortController();
    if (this.#hasCome) abort.abort();
    // It comes from outside of the asynchronous context of the request: its trace, its AsyncLocalStorage.
    else this.#waiting.push(AsyncResource.bind(() => abort.abort()));
    this.#signal = abort.signal;
    return abort.signal;
  }
}
