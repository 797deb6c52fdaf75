import type { Option } from '../kernel/index.js';

/** Creates options of common types. */
export const option = {
  /** `true` or `false`. */
  boolean: (fallback: boolean): Option<boolean> => ({
    fallback,
    expected: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  }),

  /** An integer number of `unit`, at least `min`. */
  whole: (fallback: number, { min = 0, unit }: { min?: number; unit: string }): Option<number> => ({
    fallback,
    expected: `a whole number of ${unit}, at least ${min}`,
    accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
  }),

  /** Any value that `accepts` returns true for; `expected` completes "must be …". */
  custom: <T>(fallback: T, expected: string, accepts: (value: unknown) => value is T): Option<T> => ({
    fallback,
    expected,
    accepts,
  }),
};
