import type { AnyFields, AnyHeaders, OperationOf } from './operation.js';
import type { SocketOperationOf } from './socket-operation.js';

/**
 * `Paths` without a reference to a module: `fwk types --client` has the compiler print it. Each `& {}` takes the name off a
 * type, so that it is printed in full.
 */
export type Flat<P> = {
  readonly [Path in keyof P]: {
    readonly [M in keyof P[Path]]: M extends 'ws'
      ? Parts<SocketOperationOf<P[Path][M], Path>>
      : Parts<OperationOf<P[Path][M], M, Path>>;
  } & {};
} & {};

type Parts<O> = {
  readonly [Part in keyof O]: Part extends 'ok' | 'failed' ? Each<O[Part]> : Plain<O[Part]>;
} & {};

type Each<T> = { readonly [Name in keyof T]: Plain<T[Name]> } & {};

// What a URL has as text keeps its name: the frontend has `fwkit/client`. A text with a mark of a library is a text.
type Plain<T> = 0 extends 1 & T
  ? unknown
  : [T] extends [AnyFields | AnyHeaders | undefined]
    ? [AnyFields] extends [T]
      ? T
      : [AnyHeaders] extends [T]
        ? T
        : PlainEach<T>
    : PlainEach<T>;

type PlainEach<T> = T extends string | number | boolean | bigint | null | undefined
  ? Unmarked<T>
  : T extends Date
    ? Date
    : T extends File
      ? File
      : T extends Blob
        ? Blob
        : T extends readonly unknown[]
          ? PlainList<T>
          : T extends object
            ? PlainObject<T>
            : T;

// Not one mapped type of `keyof T`: its properties would be those of T to the compiler, which then repeats names of types of
// the project. Only one such type has both an index signature and names.
type PlainObject<T> = [Extract<string | number, keyof T>] extends [never]
  ? Merged<
      { [Key in Exclude<keyof T, symbol | OptionalKeys<T>>]: Plain<T[Key]> } & {
        [Key in Exclude<OptionalKeys<T>, symbol>]?: Plain<T[Key]>;
      }
    >
  : { [Key in keyof T as Exclude<Key, symbol>]: Plain<T[Key]> } & {};

type OptionalKeys<T> = {
  [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never;
}[keyof T];

type Merged<T> = { [Key in keyof T]: T[Key] } & {};

type Unmarked<T> = T extends object
  ? T extends string
    ? string
    : T extends number
      ? number
      : T extends bigint
        ? bigint
        : boolean
  : T extends string
    ? `${T}`
    : T extends number
      ? `${T}` extends `${infer Value extends number}`
        ? Value
        : number
      : T;

type PlainList<T extends readonly unknown[]> = number extends T['length']
  ? Plain<T[number]>[]
  : { [Index in keyof T]: Plain<T[Index]> } & {};
