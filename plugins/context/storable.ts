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
  check(value, path, []);
  return JSON.stringify(value);
}

function check(value: unknown, path: string, above: readonly object[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return;
  if (typeof value !== 'object') throw notStorable(value, path);
  if (above.includes(value)) throw new TypeError(`${path} holds itself: a session cannot store that`);
  const inside = [...above, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) check(value[index], `${path}[${index}]`, inside);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (!isPlain(prototype)) throw notStorable(value, path);
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) check(member, `${path}.${key}`, inside);
}

/** Objects of another realm are plain too: their prototype has none above it. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

const notStorable = (value: unknown, path: string): TypeError =>
  new TypeError(
    `${path} is ${named(value)}, which a session cannot store: keep plain objects, arrays, strings, finite numbers, booleans and null`,
  );

function named(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  if (value instanceof Promise) return 'a promise';
  return `a ${value.constructor?.name || 'class instance'}`;
}
