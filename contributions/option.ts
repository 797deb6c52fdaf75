import { isObject, type Option, type OptionShape } from '../kernel/index.js';

/** Creates options of common types. */
export const option = {
  /** `true` or `false`. */
  boolean: (fallback: boolean): Option<boolean> => ({
    fallback,
    expected: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  }),

  /** An integer with a unit, at least `min`. */
  integer: (fallback: number, { min = 0, unit }: { min?: number; unit: string }): Option<number> => ({
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

  /** An option without a default. Code that reads it handles `undefined`. */
  optional: <T>(expected: string, accepts: (value: unknown) => boolean): Option<T | undefined> => ({
    fallback: undefined,
    expected,
    accepts: (value): value is T | undefined => value === undefined || accepts(value),
  }),
};

/** An option with one of `values`. `undefined` is the value of an option that is not set. */
export const oneOf = <const Value>(values: readonly Value[], fallback: Value): Option<Value> => {
  const names = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return option.custom(fallback, expected, (value): value is Value => values.some((one) => one === value));
};

/** An option with a list of texts, each of which `accepts` returns true for. */
export const listOf = (
  expected: string,
  accepts: (item: unknown) => boolean,
  fallback: readonly string[] = [],
): Option<readonly string[]> =>
  option.custom(
    fallback,
    expected,
    (value): value is readonly string[] => Array.isArray(value) && value.every((item) => accepts(item)),
  );

interface WrongMember {
  readonly key: string;
  /** The value as text. */
  readonly given: string;
  readonly expected: string;
}

/** The members of `given` that `shape` does not accept. */
export const wrongMembers = (given: object, shape: OptionShape): WrongMember[] =>
  Object.entries(shape).flatMap(([key, { fallback, expected, accepts }]) => {
    const value: unknown = Object.hasOwn(given, key) ? Reflect.get(given, key) : undefined;
    return accepts(value ?? fallback) ? [] : [{ key, given: shown(value), expected }];
  });

/** The mistakes in an object of options that is not part of the config, each as a clause that completes "…, which". */
export function mistakesInOptions(options: unknown, shape: OptionShape): string[] {
  if (!isObject(options)) return [`is ${shown(options)}. Make it an object of options`];
  const unknown = Object.keys(options).filter((key) => !Object.hasOwn(shape, key));
  return [
    ...unknown.map((key) => `has "${key}", which is not an option (${Object.keys(shape).join(', ')})`),
    ...wrongMembers(options, shape).map(
      ({ key, given, expected }) => `has ${key}: ${given}. Make it ${expected}`,
    ),
  ];
}

const shown = (value: unknown): string =>
  typeof value === 'function'
    ? 'a function'
    : typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? String(value));
