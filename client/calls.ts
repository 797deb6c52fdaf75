import type { ErrorStatus, Paths, SuccessStatus } from '../plugins/http/contract.js';
import type { Operation, OperationOf, ProblemDetails } from './operation.js';
import type { ClientSocket, SocketOperation, SocketOperationOf } from './socket-operation.js';

/** A success, by status code. */
export interface Ok<Status, Data> {
  readonly ok: true;
  readonly status: Status;
  readonly data: Data;
  readonly error?: undefined;
  /** For its headers: its body has already been read. */
  readonly response: Response;
}

/** A failure, by status code. */
export interface Err<Status, Body> {
  readonly ok: false;
  readonly status: Status;
  readonly error: Body;
  readonly data?: undefined;
  /** For its headers, and for the server's status code if the server reported success but its response is invalid. */
  readonly response: Response;
}

/** One event of a stream. `id` is the last ID that the server sent, with it or before; empty if none. */
export type ServerEvent<Events> = unknown extends Events
  ? { readonly event: string; readonly data: unknown; readonly id: string }
  : {
      [Name in keyof Events]: { readonly event: Name; readonly data: Events[Name]; readonly id: string };
    }[keyof Events];

/** All results of a call: `ok` distinguishes successes from failures, `status` distinguishes each status code. */
export type Outcome<O extends Operation> = Successes<O['ok']> | Failures<O['failed']>;
type Successes<T> = {
  [S in keyof T]: S extends 'stream'
    ? Ok<200, AsyncIterable<ServerEvent<T[S]>>>
    : Ok<S extends 'default' ? Exclude<SuccessStatus, 204 | 205> : S, T[S]>;
}[keyof T];
type Failures<T> =
  | { [S in keyof T]: Err<S, T[S]> }[keyof T]
  | Err<Exclude<ErrorStatus, keyof T>, ProblemDetails>;

/** A part of the argument of a call. It is optional if all its members are. */
type Part<Name extends string, T> = undefined extends T
  ? { readonly [N in Name]?: T | undefined }
  : Record<never, never> extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T };

/** Options that every call accepts, beside the parts of its request. */
export interface CallOptions {
  /** Aborts the call, the reading of its body, and its events: whatever waits for them rejects with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /** More options for `fetch`: `credentials`, `cache`, `keepalive` … */
  readonly init?: Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> | undefined;
}

/** The argument of a call. */
export type OptionsOf<O extends Operation> = CallOptions &
  Part<'params', O['params']> &
  Part<'query', O['query']> &
  Part<'headers', O['headers']> &
  Part<'body', O['body'] | FormOf<O['body']>>;

/** A form, if a body contains a file: only the server checks its fields. */
// Not derived from every object: otherwise the error for a misspelled field would not suggest the right one.
type FormOf<B> = B extends object
  ? [Extract<B[keyof B], Blob | readonly Blob[]>] extends [never]
    ? never
    : FormData
  : never;

/** A function for one operation. Its argument is optional if every part of it is. `Extra`: more options of the client. */
export type Call<O extends Operation, Result = Outcome<O>, Extra = unknown> =
  Record<never, never> extends OptionsOf<O>
    ? (options?: OptionsOf<O> & Extra) => Promise<Result>
    : (options: OptionsOf<O> & Extra) => Promise<Result>;

type Connect<O extends SocketOperation> =
  Record<never, never> extends ConnectOptions<O>
    ? (options?: ConnectOptions<O>) => ClientSocket<O['sent'], O['received']>
    : (options: ConnectOptions<O>) => ClientSocket<O['sent'], O['received']>;
type ConnectOptions<O extends SocketOperation> = Part<'params', O['params']> & Part<'query', O['query']>;

/** The result of `api('/path')`: a function for each method of that path. */
export type Calls<Methods, Path, Extra = unknown> = {
  readonly [M in keyof Marked<Methods>]: M extends 'ws'
    ? Connect<SocketOperationOf<Member<Methods, M>, Path>>
    : CallOf<OperationOf<Member<Methods, M>, M, Path>, Extra>;
};
type CallOf<O extends Operation, Extra> = Call<O, Outcome<O>, Extra>;

type Member<Methods, M> = M extends keyof Methods ? Methods[M] : never;

/** `Methods`, in which the names of deprecated routes are declared below: a mapped type keeps the comments of its members. */
type Marked<Methods> = [DeprecatedIn<Methods>] extends [never]
  ? Methods
  : Omit<Methods, DeprecatedIn<Methods>> & Pick<DeprecatedCalls, DeprecatedIn<Methods>>;
type DeprecatedIn<Methods> = {
  [M in keyof Methods]: Methods[M] extends Deprecated ? M : never;
}[keyof Methods] &
  keyof DeprecatedCalls;
type Deprecated =
  | { readonly deprecated: true }
  | { readonly '~io'?: { readonly io: { readonly deprecated: true } } };

/** Editors strike these names through. */
interface DeprecatedCalls {
  /** @deprecated The server announces the end of this route. */
  readonly get: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly post: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly put: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly patch: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly del: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly head: unknown;
  /** @deprecated The server announces the end of this route. */
  readonly options: unknown;
}

/** The result of `api.raw('/path')`: functions that resolve with the Response itself; GET also has HEAD. */
export type RawCalls<Methods, Path, Extra = unknown> = {
  readonly [M in keyof Omit<Marked<Methods>, 'ws'>]: Call<
    OperationOf<Member<Methods, M>, M, Path>,
    Response,
    Extra
  >;
} & (Methods extends { readonly head: unknown }
  ? unknown
  : Methods extends { readonly get: infer E }
    ? { readonly head: Call<OperationOf<E, 'get', Path>, Response, Extra> }
    : unknown);

/** The result for an unknown path, so that the compiler reports one error instead of two. */
export type UnknownPath = {
  readonly [M in 'get' | 'post' | 'put' | 'patch' | 'del' | 'head' | 'options' | 'ws']: (
    options?: object,
  ) => Promise<Ok<number, unknown> | Err<number, unknown>>;
};

/** If no route is known, a sentence that the compiler error then shows. */
export type PathsOf<P> = [keyof P] extends [never]
  ? 'No route is known: run "fwk types", and have tsconfig.json include ".fwk"'
  : keyof P & string;

/** `api('/books/:id').get({ params: { id: 1 } })` */
// Not `Path extends keyof P`: for an unknown path, half-typed for example, it would be all paths.
export interface Client<P = Paths, Extra = unknown> {
  <Path extends string>(
    path: Path extends keyof P ? Path : PathsOf<P>,
  ): Path extends keyof P ? Calls<P[Path], Path, Extra> : UnknownPath;
  /** The same calls, for streams, headers and HEAD: each resolves with the Response, whatever its status code. */
  raw<Path extends string>(
    path: Path extends keyof P ? Path : PathsOf<P>,
  ): Path extends keyof P ? RawCalls<P[Path], Path, Extra> : UnknownPath;
}
