/** One option of a plugin: what it may be, and what it is when the config is silent. */
export interface Option<T> {
  /** The value where the config is silent. */
  readonly fallback: T;
  /** Completes "must be …", naming the unit where there is one. */
  readonly expected: string;
  /** Whether the config may say that; what it may not is refused with `expected`. */
  accepts(value: unknown): value is T;
}

/** The options of a plugin, by name. */
export type OptionShape = Readonly<Record<string, Option<unknown>>>;

/** The values that a shape of options yields. */
export type OptionValues<Shape extends OptionShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Option<infer T> ? T : never;
};

/** The values that a user may write for a shape of options in `fwk.config`. */
export type OptionInput<Shape extends OptionShape> = Partial<OptionValues<Shape>>;

/** Makes options of the sorts that plugins need. */
export const option = {
  /** `true` or `false`. */
  boolean: (fallback: boolean): Option<boolean> => ({
    fallback,
    expected: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  }),

  /** A whole number of `unit`, from `min`. */
  whole: (fallback: number, { min = 0, unit }: { min?: number; unit: string }): Option<number> => ({
    fallback,
    expected: `a whole number of ${unit}, at least ${min}`,
    accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
  }),

  /** Anything that `accepts` lets in; `expected` completes "must be …". */
  custom: <T>(fallback: T, expected: string, accepts: (value: unknown) => value is T): Option<T> => ({
    fallback,
    expected,
    accepts,
  }),
};
