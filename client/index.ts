/** The entry for clients of an app, published as `fwkit/client`: for browsers, and for any server with `fetch`. */
import type { Paths } from '../plugins/http/contract.js';
import type { Client } from './calls.js';
import type { AnyFields, AnyHeaders, OperationOf } from './operation.js';
import { type AnyOptions, append, encode, locate, outcomeOf } from './outcome.js';
import type { SocketLike } from './socket-operation.js';
import { type SocketOperationOf, socketOf } from './socket-operation.js';

export type { CallOptions, Calls, Client, Err, Ok, Outcome, ServerEvent } from './calls.js';
export type {
  AnyFields,
  AnyHeaders,
  CheckedOperation,
  Field,
  InvalidInput,
  Jsonify,
  Operation,
  PlainOperation,
  ProblemDetails,
} from './operation.js';
export { data } from './outcome.js';
export type { ClientSocket, SocketLike, SocketOperation } from './socket-operation.js';

type GivenHeaders = Headers | Readonly<Record<string, string>>;

/** How a client sends requests, and the headers it sends each time. */
export interface ClientOptions {
  /**
   * Default: the global `fetch`. Others are `createApp().fetch`, the `fetch` of a framework's loader, or one
   * that retries. `init` has the options of the call, and `redirect: 'follow'` unless they differ.
   */
  readonly fetch?: (request: Request, init?: Pick<RequestInit, 'redirect'>) => Promise<Response>;
  /** Sent with each request; a function is called for each request. WebSockets in browsers cannot send headers. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>);
  /** Default: the global class, which Node has from version 22; the package `ws` has another. */
  readonly WebSocket?: new (
    url: string,
  ) => SocketLike;
}

const METHODS = 'get post put patch del head options'.split(' ');

/**
 * Create a typed client of an app: `const api = createClient('https://shop.example')`, and then `const r =
 * await api('/books/:id').get({ params: { id: 1 } })`. `base` is the origin, or the URL below which the app
 * is mounted. A call rejects like `fetch` if there is no response, and with a TypeError if a parameter is
 * missing.
 */
export function createClient<P = Paths>(base: string | URL, options?: ClientOptions): Client<P>;
// For `ReturnType<typeof createClient>`, which takes the last signature and would have no `P`.
export function createClient(base: string | URL, options?: ClientOptions): Client;
// The types list the valid paths and methods; at runtime every path and method is accepted.
export function createClient(base: string | URL, options: ClientOptions = {}): object {
  const { fetch: send = (request) => fetch(request), headers } = options;

  const request = async (method: string, path: string, call: AnyOptions) => {
    const url = locate(base, path, call);
    const sent = new Headers(typeof headers === 'function' ? await headers() : headers);
    append(call.headers ?? {}, (name, value) => sent.set(name, value as string));
    const body = encode(call.body, sent);
    if (!sent.has('accept')) sent.set('accept', 'application/json, */*;q=0.5');
    const init = {
      redirect: 'follow',
      ...call.init,
      method,
      headers: sent,
      duplex: 'half',
      signal: call.signal,
      body,
    } as RequestInit;
    return send(new Request(url, init), init);
  };

  const calls = (isRaw: boolean) => (path: string) => {
    const of: Record<string, unknown> = {
      ws: (call: AnyOptions = {}) => {
        const url = locate(base, path, call);
        url.protocol = url.protocol.replace('http', 'ws');
        return socketOf(new (options.WebSocket ?? WebSocket)(url.href));
      },
    };
    for (const name of METHODS) {
      const method = name === 'del' ? 'DELETE' : name.toUpperCase();
      of[name] = async (call: AnyOptions = {}) => {
        const response = await request(method, path, call);
        return isRaw ? response : outcomeOf(response, method);
      };
    }
    return of;
  };
  return Object.assign(calls(false), { raw: calls(true) });
}

/** `Paths` without references to modules, for `fwk types --client`. Each `& {}` prints a type in full. */
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

// Types that a URL holds as text keep their name from `fwkit/client`. A branded string is plain.
type Plain<T> = unknown extends T
  ? unknown
  : // The compiler cannot print a union that contains itself, except by its name.
    [JsonValue, T] extends [T, JsonValue | undefined]
    ? JsonValue | Extract<T, undefined>
    : PlainFields<T>;

/** Any JSON value, such as the data of `z.json()`. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

type PlainFields<T> =
  // Any fields also fit an object whose properties are all optional, which has no index signature.
  string extends keyof NonNullable<T>
    ? [T] extends [AnyFields | AnyHeaders | undefined]
      ? [AnyFields] extends [T]
        ? T
        : [AnyHeaders] extends [T]
          ? T
          : PlainEach<T>
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

// Not a single mapped type of `keyof T`: the compiler would treat its properties as those of T and print
// names of the project's types. Only such a type can have both an index signature and named members.
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
