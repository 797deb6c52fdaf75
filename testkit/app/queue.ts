import { Deferred } from '../../kernel/index.js';

/** What comes one after the other, kept until it is asked for, and then how it ended. */
export class Queue<T> {
  readonly #waiting: T[] = [];
  readonly #askers: Deferred<IteratorResult<T, undefined>>[] = [];
  #end: { readonly failure?: unknown } | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  push(value: T): void {
    const asker = this.#askers.shift();
    if (asker) asker.resolve({ done: false, value });
    else this.#waiting.push(value);
  }

  /** Nothing more comes: who asks is told so, or gets the failure, once the rest has been taken. */
  end(failed?: { readonly failure: unknown }): void {
    if (this.#end) return;
    this.#end = failed ?? {};
    for (const asker of this.#askers.splice(0)) this.#answer(asker);
  }

  /** The next value, when it has come. `giveUp` takes the question back, so that it takes nothing from the one after it. */
  take(): { readonly taken: Promise<IteratorResult<T, undefined>>; readonly giveUp: () => void } {
    const asker = new Deferred<IteratorResult<T, undefined>>();
    const value = this.#waiting.shift();
    if (value !== undefined) asker.resolve({ done: false, value });
    else if (this.#end) this.#answer(asker);
    else this.#askers.push(asker);
    const giveUp = (): void => {
      const index = this.#askers.indexOf(asker);
      if (index !== -1) this.#askers.splice(index, 1);
    };
    return { taken: asker.promise, giveUp };
  }

  #answer(asker: Deferred<IteratorResult<T, undefined>>): void {
    if (this.#end && 'failure' in this.#end) asker.resolve(Promise.reject(this.#end.failure));
    else asker.resolve({ done: true, value: undefined });
  }
}
