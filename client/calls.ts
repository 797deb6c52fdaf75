import type { ErrorStatus, Paths, SuccessStatus } from '../plugins/http/contract.js';
import type { Operation, OperationOf, ProblemDetails } from './operation.js';
import type { ClientSocket, SocketOperation, SocketOperationOf } from './socket-operation.js';

/** A success, by status. */
export interface Ok<Status, Data> {
  readonly ok: true;
  readonly status: Status;
  readonly data: Data;
  readonly error?: undefined;
  /** For its headers: its body has been read. */
  readonly response: Response;
}

/** A failure, by status. */
export interface Err<Status, Body> {
  readonly ok: false;
  readonly status: Status;
  readonly error: Body;
  readonly data?: undefined;
  /** For its headers, and for its own status, where the server said it had succeeded and its answer could not be read. */
  readonly response: Response;
}

/**
 * One event of a stream: `event` says which. `id` is the last one that the server gave, with this event or before; empty where
 * it gave none.
 */
export type ServerEvent<Events> = unknown extends Events
  ? { readonly event: string; readonly data: unknown; readonly id: string }
  : {
      [Name in keyof Events]: { readonly event: Name; readonly data: Events[Name]; readonly id: string };
    }[keyof Events];

/** All that a call may resolve with: `ok` tells successes from failures, `status` tells each of them. */
export type Outcome<O extends Operation> = Successes<O['ok']> | Failures<O['failed']>;
type Successes<T> = {
  [S in keyof T]: S extends 'stream'
    ? Ok<200, AsyncIterable<ServerEvent<T[S]>>>
    : Ok<S extends 'default' ? Exclude<SuccessStatus, 204 | 205> : S, T[S]>;
}[keyof T];
type Failures<T> =
  | { [S in keyof T]: Err<S, T[S]> }[keyof T]
  | Err<Exclude<ErrorStatus, keyof T>, ProblemDetails>;

/** A part of the argument of a call, which may be left out where all in it may be. */
type Part<Name extends string, T> = undefined extends T
  ? { readonly [N in Name]?: T | undefined }
  : Record<never, never> extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T };

/** What each call of a client may have, beside the parts of its request. */
export interface CallOptions {
  /** Ends the call, the reading of its body, and its events: what waits for them rejects with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /** More for `fetch`: `credentials`, `cache`, `keepalive` … */
  readonly init?: Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> | undefined;
}

/** The argument of a call. */
export type OptionsOf<O extends Operation> = CallOptions &
  Part<'params', O['params']> &
  Part<'query', O['query']> &
  Part<'headers', O['headers']> &
  Part<'body', O['body'] | FormOf<O['body']>>;

/** A form, where a body has a file in it: the server alone checks its fields. */
// Not of every object: a field that is misspelt would be told without the one that was meant.
type FormOf<B> = B extends object
  ? [Extract<B[keyof B], Blob | readonly Blob[]>] extends [never]
    ? never
    : FormData
  : never;

/** A function of one operation. Its argument may be left out where every part of it may. */
export type Call<O extends Operation, Result = Outcome<O>> =
  Record<never, never> extends OptionsOf<O>
    ? (options?: OptionsOf<O>) => Promise<Result>
    : (options: OptionsOf<O>) => Promise<Result>;

type Connect<O extends SocketOperation> =
  Record<never, never> extends ConnectOptions<O>
    ? (options?: ConnectOptions<O>) => ClientSocket<O['sent'], O['received']>
    : (options: ConnectOptions<O>) => ClientSocket<O['sent'], O['received']>;
type ConnectOptions<O extends SocketOperation> = Part<'params', O['params']> & Part<'query', O['query']>;

/** What `api('/path')` gives: a function for each method of that path. */
export type Calls<Methods, Path> = {
  readonly [M in keyof Methods]: M extends 'ws'
    ? Connect<SocketOperationOf<Methods[M], Path>>
    : Call<OperationOf<Methods[M], M, Path>>;
};

/** What `api.raw('/path')` gives: the same, and each resolves with the Response itself. GET answers HEAD, too. */
export type RawCalls<Methods, Path> = {
  readonly [M in Exclude<keyof Methods, 'ws'>]: Call<OperationOf<Methods[M], M, Path>, Response>;
} & (Methods extends { readonly head: unknown }
  ? unknown
  : Methods extends { readonly get: infer E }
    ? { readonly head: Call<OperationOf<E, 'get', Path>, Response> }
    : unknown);

/** What a path that is none gives, so that it is one error and not two. */
export type UnknownPath = {
  readonly [M in 'get' | 'post' | 'put' | 'patch' | 'del' | 'head' | 'options' | 'ws']: (
    options?: object,
  ) => Promise<Ok<number, unknown> | Err<number, unknown>>;
};

/** A sentence where no route is known, which the error then shows. */
type PathsOf<P> = [keyof P] extends [never]
  ? 'No route is known: run "fwk types", and have tsconfig.json include ".fwk"'
  : keyof P & string;

/** `api('/books/:id').get({ params: { id: 1 } })` */
// Not `Path extends keyof P`: for a path that is none, as it is while it is typed, `Path` would become all of them.
export interface Client<P = Paths> {
  <Path extends string>(
    path: Path extends keyof P ? Path : PathsOf<P>,
  ): Path extends keyof P ? Calls<P[Path], Path> : UnknownPath;
  /** The same calls, for streams, headers and HEAD: each resolves with the Response, whatever its status. */
  raw<Path extends string>(
    path: Path extends keyof P ? Path : PathsOf<P>,
  ): Path extends keyof P ? RawCalls<P[Path], Path> : UnknownPath;
}
