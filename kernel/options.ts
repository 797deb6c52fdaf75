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
