export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `value` has to be awaited. Layers pass other values on synchronously. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** A promise and the function that resolves it. */
export class Deferred<T = void> {
  resolve: (value: T | PromiseLike<T>) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}

export type WrapCallback = (phase: string, callback: () => unknown) => () => unknown;

/** Functions that undo earlier steps, called in reverse order. */
export class Disposer {
  readonly #deferred: (() => unknown)[] = [];

  defer(undo: () => unknown): void {
    this.#deferred.push(undo);
  }

  /** Call each deferred function once, last first. After all of them, throw the first failure. */
  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    const call = async (undo: () => unknown): Promise<unknown> => undo();
    for (let undo = this.#deferred.pop(); undo; undo = this.#deferred.pop())
      await call(undo).catch((thrown) => failures.push(thrown));
    if (failures.length > 0) throw failures[0];
  }
}

/** A typed key of a value that plugins share in a version (`project.slot`) or in a process (`runtime.slot`). */
export interface SlotKey<T> {
  readonly name: string;
  /** Never set. It makes keys of different types incompatible for the compiler. */
  readonly type?: (value: T) => T;
}

/** A key of a slot. `name` begins with the plugin's name: `slotKey<Queue[]>('jobs.queues')`. */
export const slotKey = <T>(name: string): SlotKey<T> => ({ name });

export class Slots {
  readonly #entries = new Map<string, { readonly key: object; readonly value: unknown }>();

  get<T>(key: SlotKey<T>, make: () => T): T {
    const entry = this.#entries.get(key.name) ?? { key, value: make() };
    if (!this.#entries.has(key.name)) this.#entries.set(key.name, entry);
    return entry.value as T;
  }

  /** Whether the value was made with another key of this name: the module that defines the key was edited. */
  isOutdated(key: Pick<SlotKey<unknown>, 'name'>): boolean {
    return (this.#entries.get(key.name)?.key ?? key) !== key;
  }
}
