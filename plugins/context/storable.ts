import { coded, notJson } from '../../kernel/index.js';

/**
 * `T` where a session can store it: what JSON can represent. Functions, Maps, Dates, other instances and promises are
 * never. `undefined` is for optional properties, which are left out.
 */
export type Storable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends ((...args: never[]) => unknown) | symbol | bigint
    ? never
    : { [Key in keyof T]: Storable<T[Key]> };

/** The same for a whole session value, which is `null` where there is none. */
export type SessionValue<T> = T extends undefined ? never : Storable<T>;

/** The type error of a value that a session cannot store. */
export interface NotStorable {
  readonly 'a session value is what JSON has: plain objects, arrays, strings, numbers, booleans and null': never;
}

/**
 * The JSON of a session value. `path` is where it is, for the TypeError that is thrown for what JSON cannot represent.
 */
export function storableText(value: unknown, path: string): string {
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK310',
      new TypeError(
        `${wrong}, which a session cannot store: keep plain objects, arrays, strings, finite numbers, booleans and null`,
      ),
    );
  return JSON.stringify(value);
}
