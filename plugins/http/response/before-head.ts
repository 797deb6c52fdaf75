/** Functions that run right before the head of one response is written, each once. Made only for responses that need it. */
export class BeforeHead {
  #all: (() => unknown)[] = [];
  /** Resolves when they have run and the response has been sent; undefined until something is to be sent. */
  held: Promise<void> | undefined;

  add(callback: () => unknown): void {
    this.#all.push(callback);
  }

  /** Run them one after the other. Rejects with what one throws; the others then do not run. */
  async run(): Promise<void> {
    const all = this.#all;
    this.#all = [];
    for (const callback of all) await callback();
  }

  /** Run them, then `send`, and wait for what it gives. */
  runThenSend(send: () => Promise<void> | undefined): void {
    this.held = this.run().then(send);
    // It is awaited by the function that answers the request, but perhaps not before it has failed.
    this.held.catch(() => {});
  }
}
