import type { In, InputIssue, Out, Parts, Routes, StandardSchema } from '../plugins/http/contract.js';

/** The type of a route for the client: its input, and its output by status code. */
export interface Operation {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  /** Data by status code, for a success without a status code (`default`), of events by name (`stream`). */
  readonly ok: object;
  /** The declared errors of the route, by status code. */
  readonly failed: object;
}

/** The response to a failed request, unless the route declares another: a problem document (RFC 9457). */
export interface ProblemDetails {
  readonly status: number;
  readonly title?: string;
  readonly message: string;
}

/** The response to invalid input (422). */
export interface InvalidInput extends ProblemDetails {
  readonly errors: readonly InputIssue[];
}

export type OperationOf<E, Method, Path> = 0 extends 1 & E
  ? never
  : E extends Operation
    ? E
    : E extends { readonly '~io'?: { readonly io: infer Io; readonly result: infer Result } }
      ? Io extends Parts<unknown, unknown, unknown, unknown, unknown, unknown>
        ? Marked<Guarded<CheckedOperation<Io, Method, Path, Settled<Result>>, E, Method>, Io, Method>
        : Marked<Guarded<PlainOperation<Io, Method, Path, Settled<Result>>, E, Method>, Io, Method>
      : never;

/** An operation whose failures include the errors that the middlewares around the route export. */
type Guarded<O extends Operation, E, Method> = '~guards' extends keyof E
  ? Method extends 'head'
    ? O
    : { readonly [Part in keyof O]: Part extends 'failed' ? AllFailed<O[Part], GuardErrors<E>> : O[Part] }
  : O;

type GuardErrors<E> = E extends { readonly '~guards'?: infer Modules }
  ? Modules extends { readonly errors: infer Errors }
    ? Errors
    : never
  : never;

type AllFailed<F, Errors> = {
  readonly [S in keyof F | (Errors extends unknown ? keyof Errors : never)]:
    | (S extends keyof F ? F[S] : never)
    | (Errors extends unknown ? (S extends keyof Errors ? Jsonify<Out<Errors[S]>> : never) : never);
};

type Marked<O extends Operation, Io, Method> = (Io extends { readonly deprecated: true }
  ? { readonly deprecated: true }
  : unknown) &
  (Io extends { readonly idempotent: true }
    ? Method extends 'get' | 'head' | 'options'
      ? O
      : WithKey<O>
    : O);

/** An operation whose calls need an idempotency key. The route responds with 409 and 422 itself, too. */
type WithKey<O extends Operation> = {
  readonly [Part in keyof O]: Part extends 'failed'
    ? { readonly [S in keyof O[Part]]: O[Part][S] | (S extends 409 | 422 ? ProblemDetails : never) }
    : Part extends 'headers'
      ? NonNullable<O[Part]> & { readonly 'idempotency-key': string }
      : O[Part];
};

/** `Awaited` also inspects values that are not promises, which takes an eighth of the time for the types of a call. */
type Settled<T> = T extends Promise<infer Value> ? Value : Awaited<T>;

export interface CheckedOperation<
  Io extends Parts<unknown, unknown, unknown, unknown, unknown, unknown>,
  M,
  Path,
  T,
> {
  readonly params: InputFields<Io['params'], PathParams<Path>>;
  readonly query: InputFields<Io['query'], AnyFields | undefined>;
  readonly headers: InputFields<Io['headers'], AnyHeaders | undefined>;
  readonly body: In<Io['body'], Unchecked<M, unknown>>;
  readonly ok: M extends 'head'
    ? HeadData
    : [Io['response']] extends [never]
      ? Succeeded<M, T>
      : Responded<M, Io['response']>;
  readonly failed: M extends 'head'
    ? Record<never, never>
    : Failed<
        [Io['errors']] extends [never] ? Record<never, never> : Io['errors'],
        T,
        | NotFound<M, T>
        | ([Io['params'] | Io['query'] | Io['headers'] | Io['body']] extends [never] ? never : 422)
      >;
}

export interface PlainOperation<Io, M, Path, T> {
  readonly params: PathParams<Path>;
  readonly query: AnyFields | undefined;
  readonly headers: AnyHeaders | undefined;
  readonly body: Unchecked<M, Io extends { readonly body: infer Body } ? Body : unknown>;
  readonly ok: M extends 'head' ? HeadData : Succeeded<M, T>;
  readonly failed: M extends 'head' ? Record<never, never> : Failed<Record<never, never>, T, NotFound<M, T>>;
}

/** The body of GET and HEAD has no meaning (RFC 9110 §9.3.1). */
type Unchecked<M, Body> = M extends 'get' | 'head' ? undefined : Body | undefined;

/** HEAD has no body (RFC 9110 §9.3.2). */
type HeadData = { readonly default: undefined };

export type Field = string | number | boolean | bigint | Date;
/** Fields of a query string without a schema: null and undefined are left out, and each value of a list is sent. */
export interface AnyFields {
  readonly [name: string]: Field | readonly Field[] | null | undefined;
}
/** Headers without a schema: undefined is left out. */
export interface AnyHeaders {
  readonly [name: string]: string | number | undefined;
}
type InputFields<S, Fallback> = [S] extends [never] ? Fallback : Fields<In<S>>;
/** A field whose schema accepts unknown, as `z.coerce.number()` does, may be any value with a text form. */
type Fields<T> = { [Name in keyof T]: unknown extends T[Name] ? Field : T[Name] };
export type PathParams<Path> = Path extends keyof Routes
  ? { [Name in keyof Routes[Path]]: string | number }
  : AnyFields | undefined;
export type SocketFields<S, Fallback> = InputFields<S, Fallback>;

/** The record names its events: a record of any other type accepts all names. */
type Streams<T> = string extends keyof T ? false : '~events' extends keyof T ? true : false;
type Renders<T> = string extends keyof T ? false : '~view' extends keyof T ? true : false;

type SendsFile<T> = string extends keyof T ? false : '~file' extends keyof T ? true : false;

type Succeeded<M, T> = 0 extends 1 & T
  ? { readonly default: unknown }
  : Streams<T> extends true
    ? { readonly stream: EventsOf<T> }
    : [Returned<T>] extends [never]
      ? Unreturned<M, T>
      : { readonly [S in 'default' | NoContent<M, T>]: S extends 204 ? undefined : Data<Returned<T>> };

/** A handler that returns nothing may have called `res.json()`, which the compiler cannot see. */
type Unreturned<M, T> = {
  readonly [S in NoContent<M, T> | ([Extract<T, Nothing>] extends [never] ? never : 'default')]: S extends 204
    ? undefined
    : unknown;
};

type EventsOf<T> = T extends { readonly '~events'?: infer V }
  ? [V] extends [never] | [undefined]
    ? unknown
    : { readonly [Name in keyof V]: Jsonify<Out<V[Name]>> }
  : never;

/** Bytes with a text media type are text. */
type Data<T> = T extends Uint8Array | Blob | AsyncIterable<unknown>
  ? Blob | string
  : T extends Response
    ? unknown
    : Renders<T> extends true
      ? string
      : SendsFile<T> extends true
        ? Blob | string
        : Jsonify<T>;

/** The type of a returned `error()`. */
interface ReturnedError<S, B> extends Error {
  readonly status: S;
  readonly body: B;
}

// biome-ignore lint/suspicious/noConfusingVoidType: what a function without `return` returns.
type Nothing = undefined | void;
type Returned<T> = Exclude<T, ReturnedError<number, unknown> | null | Nothing>;
type NoContent<M, T> = [Extract<T, Nothing>] extends [never]
  ? M extends 'get' | 'head'
    ? never
    : [Extract<T, null>] extends [never]
      ? never
      : 204
  : 204;

/** The data of successes, from `response`. Null and undefined are sent without a body. */
type Responded<M, R> = R extends StandardSchema
  ? {
      readonly [S in
        | ([Present<Out<R>>] extends [never] ? never : 'default')
        | NoContent<M, Out<R>>]: S extends 204 ? undefined : Jsonify<Present<Out<R>>>;
    }
  : {
      readonly [S in
        | keyof R
        | (R extends { readonly 200: infer Usual } ? NoContent<M, Out<Usual>> : never)]: S extends keyof R
        ? R[S] extends StandardSchema
          ?
              | Jsonify<Present<Out<R[S]>>>
              | (S extends 200 ? never : [NoContent<M, Out<R[S]>>] extends [never] ? never : undefined)
          : undefined
        : undefined;
    };
type Present<T> = Exclude<T, null | Nothing>;

/** GET with null is 404. */
type NotFound<M, T> = 0 extends 1 & T
  ? never
  : M extends 'get' | 'head'
    ? [Extract<T, null>] extends [never]
      ? never
      : 404
    : never;

type StatusOf<T> = 0 extends 1 & T
  ? never
  : T extends ReturnedError<infer S extends number, unknown>
    ? number extends S
      ? never
      : S
    : never;
type BodyOf<T, S> = T extends ReturnedError<infer Of, infer B> ? (S extends Of ? Jsonify<B> : never) : never;

/** Errors that are declared or returned, and the framework's own errors. */
type Failed<F, T, Own extends number> = {
  readonly [S in keyof F | StatusOf<T> | Own]:
    | (S extends keyof F ? Jsonify<Out<F[S]>> : BodyOf<T, S>)
    | (S extends Own ? (S extends 422 ? InvalidInput : ProblemDetails) : never);
};

/** Values that JSON omits from an object, and replaces by null in a list. */
type NotInJson = undefined | symbol | ((...args: never[]) => unknown);

/**
 * `T` after `JSON.parse(JSON.stringify(value))`: a Date is a string, omitted values are gone or optional,
 * `any` is unknown. A bigint, which JSON rejects, is never, and so are objects whose content JSON leaves out.
 */
export type Jsonify<T> = 0 extends 1 & T
  ? unknown
  : T extends string | number | boolean | null
    ? T
    : T extends { toJSON(...args: never[]): infer Printed }
      ? Jsonify<Printed>
      : T extends NotInJson | bigint
        ? never
        : T extends readonly unknown[]
          ? // A mapped type of a list such as `J[]` would look into its items, and a recursive J would never end (TS2589).
            number extends T['length']
            ? T extends unknown[]
              ? Listed<T[number]>[]
              : readonly Listed<T[number]>[]
            : { [Index in keyof T]: Listed<T[Index]> }
          : T extends object
            ? T extends ContentLost
              ? never
              : T extends ArrayBufferView
                ? { [index: string]: number }
                : JsonObject<T>
            : unknown;

type ContentLost =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | Error
  | PromiseLike<unknown>
  | ArrayBuffer;

type Listed<T> = 0 extends 1 & T ? unknown : T extends NotInJson ? null : Jsonify<T>;

type JsonObject<T> = undefined extends T[keyof T]
  ? Merged<
      { [Key in keyof T as SentKey<Key, T[Key], false>]: Jsonify<T[Key]> } & {
        [Key in keyof T as SentKey<Key, T[Key], true>]?: Jsonify<T[Key]>;
      }
    >
  : { [Key in keyof T as T[Key] extends NotInJson ? never : Exclude<Key, symbol>]: Jsonify<T[Key]> };

/** The key, if its value is sent at all. Checks the whole value instead of each member of a union. */
type SentKey<Key, Value, Optional> = [Exclude<Value, NotInJson>] extends [never]
  ? never
  : undefined extends Value
    ? Optional extends true
      ? Exclude<Key, symbol>
      : never
    : Optional extends true
      ? never
      : Exclude<Key, symbol>;

type Merged<T> = { [Key in keyof T]: T[Key] } & {};
