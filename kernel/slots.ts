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
