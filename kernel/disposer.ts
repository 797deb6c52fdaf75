/** Functions that undo what was done, called in reverse order. */
export class Disposer {
  readonly #deferred: (() => unknown)[] = [];

  /** Have `undo` called by `dispose`. */
  defer(undo: () => unknown): void {
    this.#deferred.push(undo);
  }

  /** Call what was deferred, last first, each once. Rejects with what the first failing one throws; the rest stays deferred. */
  async dispose(): Promise<void> {
    for (let undo = this.#deferred.pop(); undo; undo = this.#deferred.pop()) await undo();
  }
}
