import { isThenable, PluginMisuse } from '../../kernel/index.js';

/**
 * A promise that records whether its `then` was called. `await`, `Promise.all` and `return` call
 * `then` of every promise whose class is not Promise itself (ECMA-262 §27.2.4.7.1); on a plain
 * promise the call cannot be observed.
 */
class ObservedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #isAwaited = false;

  static isAwaited(promise: ObservedPromise<unknown>): boolean {
    return promise.#isAwaited;
  }

  /** Resolves when `promise` has settled, without counting as a call of `then`. */
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

export interface Observation {
  /** The promise that users get instead. */
  readonly promise: Promise<unknown>;
  /** Resolves when it has settled. */
  readonly settled: Promise<void>;
  isPending(): boolean;
  /** The rejection, if nothing has awaited the promise so far. */
  unhandled(): { readonly thrown: unknown } | undefined;
}

/**
 * Prevent a rejection of `value` from ending the process, and call `failed` for it. Returns
 * undefined for a promise that is already observed, and for other values. Other thenables may start
 * their work only when `then` is called, so this function doesn't call it.
 */
export function observe(value: unknown, failed: () => void): Observation | undefined {
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
  // A promise of another class has members that its replacement would lack.
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

/** The longest that a callback of a service or plugin may take, in milliseconds. */
const CALLBACK_LIMIT_MS = 30_000;

/** Settles like the result of a callback, but rejects if that takes too long. */
export async function inTime(result: unknown): Promise<unknown> {
  if (!isThenable(result)) return result;
  const running = Promise.resolve(result);
  // The timer also keeps the process from exiting with 0 before the end.
  if (await settledWithin(running, CALLBACK_LIMIT_MS)) return running;
  throw new PluginMisuse(
    `it has not finished after ${CALLBACK_LIMIT_MS / 1000} seconds. Resolve its promise earlier, or do not return the promise`,
  );
}

/** Resolves when `done` has settled, or after `limit` milliseconds. The result is whether it had settled. */
export async function settledWithin(done: Promise<unknown>, limit: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limit);
  });
  const settled = done.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
