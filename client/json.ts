/** What JSON leaves out of an object, and makes null in a list. */
type Gone = undefined | symbol | ((...args: never[]) => unknown);

/**
 * `T` after `JSON.parse(JSON.stringify(value))`: a Date is a text, what JSON leaves out is gone or optional, `any` is unknown.
 * A bigint, which JSON refuses, is never.
 */
export type Json<T> = 0 extends 1 & T
  ? unknown
  : T extends string | number | boolean | null
    ? T
    : T extends { toJSON(...args: never[]): infer Printed }
      ? Json<Printed>
      : T extends Gone | bigint
        ? never
        : T extends readonly unknown[]
          ? { [Index in keyof T]: Listed<T[Index]> }
          : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
            ? Record<never, never>
            : T extends object
              ? JsonObject<T>
              : unknown;

type Listed<T> = 0 extends 1 & T ? unknown : T extends Gone ? null : Json<T>;

type JsonObject<T> = undefined extends T[keyof T]
  ? Merged<
      { [Key in keyof T as Kept<Key, T[Key], false>]: Json<T[Key]> } & {
        [Key in keyof T as Kept<Key, T[Key], true>]?: Json<T[Key]>;
      }
    >
  : { [Key in keyof T as T[Key] extends Gone ? never : Exclude<Key, symbol>]: Json<T[Key]> };

/** The key, where its value is sent at all, and may be undefined or may not. Asks of the whole value, not of each of a union. */
type Kept<Key, Value, Optional> = [Exclude<Value, Gone>] extends [never]
  ? never
  : undefined extends Value
    ? Optional extends true
      ? Exclude<Key, symbol>
      : never
    : Optional extends true
      ? never
      : Exclude<Key, symbol>;

type Merged<T> = { [Key in keyof T]: T[Key] } & {};
