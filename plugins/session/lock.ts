/** Lets what concerns one id happen one after the other. Ids that nothing happens to take no memory. */
export class Locks {
  readonly #last = new Map<string, Promise<void>>();

  /** Run `work` when everything that was asked for `id` before is over, and give its result. */
  async take<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const turn = before === undefined ? work() : before.then(work);
    const over = turn.then(
      () => {},
      () => {},
    );
    this.#last.set(id, over);
    try {
      return await turn;
    } finally {
      if (this.#last.get(id) === over) this.#last.delete(id);
    }
  }
}
