/** Marks the objects that one function makes; every copy of the package recognizes the mark by name. */
export interface Brand<T extends object = object> {
  /** Returns `value`, marked. Mark an object before you freeze it. */
  mark<Value extends T>(value: Value): Value;
  /** Whether `value`, which may be anything, is marked. */
  has(value: unknown): value is T;
}

/** A brand for `name`, which begins with the plugin's name: `brand<Job>('fwk-cron.job')`. */
export function brand<T extends object = object>(name: string): Brand<T> {
  const key = Symbol.for(name);
  return {
    mark: (value) => Object.defineProperty(value, key, { value: true }),
    has: (value): value is T =>
      ((typeof value === 'object' && value !== null) || typeof value === 'function') && key in value,
  };
}
