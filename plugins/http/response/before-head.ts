/** What runs right before the head of one response is written, each once. Made only for responses that need it. */
export class BeforeHead {
  #all: (() => unknown)[] = [];
  /** What is being sent as soon as they have run. */
  held: Promise<void> | undefined;

  add(last: () => unknown): void {
    this.#all.push(last);
  }

  /** Run them one after the other. Rejects with what one throws; the others then do not run. */
  async run(): Promise<void> {
    const all = this.#all;
    this.#all = [];
    for (const last of all) await last();
  }

  /** Run them, then `send`. */
  hold(send: () => void): void {
    this.held = this.run().then(send);
    // Whoever answers the request asks how that went, but perhaps not before it has failed.
    this.held.catch(() => {});
  }
}
