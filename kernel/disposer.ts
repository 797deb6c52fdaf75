/** Functions that undo what was done, called in reverse order. */
export class Disposer {
  readonly #deferred: (() => unknown)[] = [];

  /** Have `undo` called by `dispose`. */
  defer(undo: () => unknown): void {
    this.#deferred.push(undo);
  }

  /** Call what was deferred, last first, each once. One that fails keeps none from being called; the first failure is thrown then. */
  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    const call = async (undo: () => unknown): Promise<unknown> => undo();
    for (let undo = this.#deferred.pop(); undo; undo = this.#deferred.pop())
      await call(undo).catch((thrown) => failures.push(thrown));
    if (failures.length > 0) throw failures[0];
  }
}
