/** Marks objects as what a function made. Known to every copy of the package in a process, by its name. */
export interface Brand {
  /** `value`, marked. */
  mark<T extends object>(value: T): T;
  /** Whether `value`, which may be anything, was marked. */
  has(value: unknown): boolean;
}

/** A brand of its own for `name`, which begins with the plugin's: `fwkit.endpoint`. */
export function brand(name: string): Brand {
  const key = Symbol.for(name);
  return {
    mark: (value) => Object.defineProperty(value, key, { value: true }),
    has: (value) =>
      ((typeof value === 'object' && value !== null) || typeof value === 'function') && key in value,
  };
}
