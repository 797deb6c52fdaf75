/** Whether a value has members by name, as an object of JSON has. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether to wait for `value`. Everything else is passed on at once, so that layers stay as synchronous as what they wrap. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** A promise, and the function that resolves it: with a value, or with the outcome of another promise. */
export class Deferred<T = void> {
  resolve: (value: T | PromiseLike<T>) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}

/** Functions that undo earlier steps, called in reverse order. */
export class Disposer {
  readonly #deferred: (() => unknown)[] = [];

  /** Have `undo` called by `dispose`. */
  defer(undo: () => unknown): void {
    this.#deferred.push(undo);
  }

  /** Call the deferred functions, last first, each once. If some fail, the others are called all the same; the first failure is thrown then. */
  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    const call = async (undo: () => unknown): Promise<unknown> => undo();
    for (let undo = this.#deferred.pop(); undo; undo = this.#deferred.pop())
      await call(undo).catch((thrown) => failures.push(thrown));
    if (failures.length > 0) throw failures[0];
  }
}

/** Names a value that plugins share in a version (`project.slot`) or in a process (`runtime.slot`), and says its type. */
export interface SlotKey<T> {
  readonly name: string;
  /** Never set. It makes the compiler tell the keys of two types apart. */
  readonly type?: (value: T) => T;
}

/** A key of a slot. `name` begins with the plugin's name: `slotKey<Queue[]>('jobs.queues')`. */
export const slotKey = <T>(name: string): SlotKey<T> => ({ name });

/** The values behind keys. */
export class Slots {
  readonly #values = new Map<string, unknown>();

  /** The value of `key`, made by `make` when it is first asked for. */
  get<T>({ name }: SlotKey<T>, make: () => T): T {
    if (!this.#values.has(name)) this.#values.set(name, make());
    return this.#values.get(name) as T;
  }
}
