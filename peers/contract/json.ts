/** What JSON has. */
export type Json =
  | null
  | string
  | number
  | boolean
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * `T`, where JSON has it, interfaces included; what JSON has not is a sentence in its place, which the compiler prints. `Absent` is left out
 * where it stands: undefined, of members.
 */
export type JsonOf<T, Absent = never> = 0 extends 1 & T
  ? T
  : T extends Json | Absent
    ? T
    : T extends undefined
      ? 'undefined is not JSON'
      : T extends bigint
        ? 'a bigint is not JSON'
        : T extends symbol
          ? 'a symbol is not JSON'
          : T extends (...given: never[]) => unknown
            ? 'a function is not JSON'
            : JsonOfObject<T>;

type JsonOfObject<T> = T extends { toJSON(...given: never[]): unknown }
  ? 'it would arrive as another type: send what its toJSON() gives'
  : T extends readonly unknown[]
    ? { readonly [Index in keyof T]: JsonOf<T[Index]> }
    : // Collections, promises, bytes.
      T extends { readonly [Symbol.toStringTag]: string }
      ? 'an object of this class is not JSON'
      : // Nothing is known of it: `unknown`, `object`.
        [keyof T] extends [never]
        ? Json
        : { readonly [Key in keyof T]: JsonOf<T[Key], undefined> };

/**
 * What of a value JSON has not, and where: `data.at is a Date`, `data.self holds itself`; undefined where JSON has it all. `path` is what
 * the value is called. A member of an object that is undefined is left out, as JSON does.
 */
export const notJson = (value: unknown, path: string): string | undefined => mistakeIn(value, path, []);

/** `above`: the objects that `value` is in. */
function mistakeIn(value: unknown, path: string, above: object[]): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return undefined;
  if (typeof value !== 'object') return `${path} is ${named(value)}`;
  if (above.includes(value)) return `${path} holds itself`;
  if (!Array.isArray(value) && !isPlain(Object.getPrototypeOf(value))) return `${path} is ${named(value)}`;
  above.push(value);
  const mistake = Array.isArray(value) ? inArray(value, path, above) : inObject(value, path, above);
  above.pop();
  return mistake;
}

function inArray(values: readonly unknown[], path: string, above: object[]): string | undefined {
  for (let index = 0; index < values.length; index += 1) {
    const mistake = mistakeIn(values[index], `${path}[${index}]`, above);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function inObject(value: object, path: string, above: object[]): string | undefined {
  for (const [key, member] of Object.entries(value)) {
    const mistake = member === undefined ? undefined : mistakeIn(member, `${path}.${key}`, above);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

/** Objects of another realm are plain too: their prototype has none above it. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

function named(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return value instanceof Promise ? 'a promise' : `a ${value.constructor?.name || 'class instance'}`;
}
