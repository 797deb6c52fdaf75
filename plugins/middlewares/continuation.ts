/**
 * The result of `next()` where the rest of the chain is asynchronous: to be awaited or returned. It knows whether it was, since
 * a rejection that nothing awaits is lost. It wraps no promise of its own, which would cost every layer of every request.
 */
export class Continuation implements Promise<unknown> {
  readonly [Symbol.toStringTag] = 'Promise';
  #isAwaited = false;

  constructor(
    /** The result of the rest of the chain. */
    readonly result: Promise<unknown>,
  ) {}

  /** Whether the result has been awaited. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    return this.result.then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    this.#isAwaited = true;
    return this.result.finally(onFinally);
  }
}

// People ask for one with `instanceof`. It overrides all that a real one has.
Object.setPrototypeOf(Continuation.prototype, Promise.prototype);
