/** Runs what concerns one name one after the other. A name that nothing waits for takes no memory. */
export class Locks {
  readonly #last = new Map<string, Promise<void>>();

  /** Run `work` when everything that was asked for `name` before has ended, and give its result. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const running = before === undefined ? work() : before.then(work);
    const ended = running.then(
      () => {},
      () => {},
    );
    this.#last.set(name, ended);
    try {
      return await running;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}
