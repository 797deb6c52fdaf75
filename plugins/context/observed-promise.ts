/**
 * A promise that knows whether anybody has asked what becomes of it. `await`, `Promise.all` and `return` ask `then` of
 * every promise whose class is not Promise itself (ECMA-262 §27.2.4.7.1); of a plain one nobody could tell.
 */
class ObservedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #isAwaited = false;

  static isAwaited(promise: ObservedPromise<unknown>): boolean {
    return promise.#isAwaited;
  }

  /** Resolves when `promise` has settled, one way or the other, without counting as somebody who asks. */
  static settled(
    promise: ObservedPromise<unknown>,
    done: () => void,
    failed: (thrown: unknown) => void,
  ): Promise<void> {
    return Promise.prototype.then.call(promise, done, failed) as Promise<void>;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((thrown: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    return super.then(fulfilled, rejected);
  }
}

/** A promise of users' code, of which nobody is bound to ask what becomes of it. */
export interface Observed {
  /** What users get in its place. */
  readonly promise: Promise<unknown>;
  /** Resolves when it has settled. */
  readonly settled: Promise<void>;
  isPending(): boolean;
  /** What it was rejected with, where nobody has asked so far. */
  unhandled(): { readonly thrown: unknown } | undefined;
}

/**
 * Keep a rejection of `value` from ending the process; `failed` is told of it. Undefined where there is nothing to do: for
 * a promise that is observed already, and for what is none. Other thenables may begin their work only when they are
 * asked, and are not asked here.
 */
export function observe(value: unknown, failed: () => void): Observed | undefined {
  if (!(value instanceof Promise) || value instanceof ObservedPromise) return undefined;
  let isPending = true;
  let rejection: { readonly thrown: unknown } | undefined;
  const done = (): void => {
    isPending = false;
  };
  const note = (thrown: unknown): void => {
    isPending = false;
    rejection = { thrown };
    failed();
  };
  // One of another class has members of its own, which a promise in its place would not have.
  if (Object.getPrototypeOf(value) !== Promise.prototype)
    return {
      promise: value,
      settled: value.then(done, note),
      isPending: () => isPending,
      unhandled: () => rejection,
    };
  const promise = new ObservedPromise((resolve) => resolve(value));
  for (const key of Object.keys(value)) Reflect.set(promise, key, Reflect.get(value, key));
  return {
    promise,
    settled: ObservedPromise.settled(promise, done, note),
    isPending: () => isPending,
    unhandled: () => (ObservedPromise.isAwaited(promise) ? undefined : rejection),
  };
}
