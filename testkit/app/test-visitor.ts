import type { Client, ServerEvent } from '../../client/index.js';
import type { OperationOf, SocketOperationOf } from '../../client/internal.js';
import type { Paths } from '../../plugins/http/index.js';
import type { TestEvents, TestEventsOptions } from './events.js';
import type { TestMcp } from './mcp.js';

/** How a connection ended. */
export interface TestClosing {
  /** RFC 6455 §7.4.1. 1005: none was given. 1006: the connection broke. */
  readonly code: number;
  readonly reason: string;
}

/** An open connection to a file under `ws/`. Iterating gives its messages, those first that came before, until it ends. */
export interface TestSocket<Sent = unknown, Received = unknown> extends AsyncIterable<Received> {
  /** The protocol that the app has chosen; empty where it chose none. */
  readonly protocol: string;
  /**
   * Send a message: what is neither text nor bytes as JSON. To a socket with a schema for `receive`, text goes as JSON, too. Throws
   * where the connection is not open any more.
   */
  send(message: Sent): void;
  /** The next message: the value of one that is JSON, else its text; bytes as a Buffer. Rejects when none came in 4 s, or the connection has ended. */
  next(): Promise<Received>;
  /** Close the connection. Resolves with how it ended. */
  close(code?: number, reason?: string): Promise<TestClosing>;
  /** Resolves when the connection has ended, whoever closed it. */
  readonly closed: Promise<TestClosing>;
  /** Break the connection off, as a client does that loses its network. */
  terminate(): void;
}

/** How a socket is asked for. */
export interface TestSocketOptions {
  /** Of the handshake. A page of the app itself asks, unless they say otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subprotocols that the client offers. */
  readonly protocols?: readonly string[];
}

/** What a request has beside its path. */
export interface TestRequestOptions {
  /** Beside those of the visitor, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain objects and arrays are sent as JSON; all else as `fetch` sends it. */
  readonly body?: unknown;
  /** Ends the request, as a client does that goes away. */
  readonly signal?: AbortSignal;
}

export type Ask = (path: string, options?: TestRequestOptions) => Promise<Response>;
export type Send = (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;

/** A client of a test app. It keeps cookies as a browser would, and sends what a page of the app would. */
export interface TestVisitor {
  readonly get: Ask;
  readonly head: Ask;
  readonly options: Ask;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly del: Send;
  readonly request: (method: string, path: string, options?: TestRequestOptions) => Promise<Response>;
  /** Answer a web Request, with the visitor's cookies where it has none: for clients that take a `fetch`. */
  readonly fetch: (request: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** The typed client of the app: `app.api('/api/books').post({ body })`. */
  readonly api: Client;
  /** Connect to a socket: `await app.ws('/ws/rooms/tea')`. Rejects with a TestRefusal where the handshake is refused. */
  readonly ws: <const Path extends string>(
    path: AskedSocket<Path>,
    options?: TestSocketOptions,
  ) => Promise<TestSocket<SentTo<Path>, ReceivedFrom<Path>>>;
  /** GET a stream of events. Rejects with a TestRefusal where the answer is another one. */
  readonly sse: <const Path extends string>(
    path: Path,
    options?: TestEventsOptions,
  ) => Promise<TestEvents<EventsAt<Path>>>;
  /** The client of `/mcp`. */
  readonly mcp: TestMcp;
  /** The cookies that the app has set, by name. Clear it to be a new visitor. */
  readonly cookies: Map<string, string>;
}

/** The paths of the project that have sockets: `/ws/rooms/:room`. Inferred, so that the compiler prints them and not this name. */
type SocketPath = {
  [P in keyof Paths]: Paths[P] extends { readonly ws: unknown } ? P : never;
}[keyof Paths] extends infer Path extends string
  ? Path
  : never;

/** A path whose parameters are texts: `/ws/rooms/${string}`. */
type Filled<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${Filled<Rest>}`
  : Segment<Path>;
type Segment<Text extends string> = Text extends `:${string}` | `*${string}` ? string : Text;

/** The path of the project behind the path of a request, its query left out: one without parameters first. */
type PatternOf<Path extends string, All> =
  WithoutQuery<Path> extends infer Asked
    ? Asked extends All
      ? Asked
      : { [P in All & string]: Asked extends Filled<P> ? P : never }[All & string]
    : never;
type WithoutQuery<Path extends string> = Path extends `${infer Asked}?${string}` ? Asked : Path;

/** `Path`, where it may lead to a socket of the project; else the paths that do. Where none is known, any. */
type AskedSocket<Path extends string> = [SocketPath] extends [never]
  ? Path
  : string extends Path
    ? Path
    : [PatternOf<Path, SocketPath>] extends [never]
      ? SocketPath
      : Path;

type SocketAt<Path extends string> = string extends Path
  ? never
  : PatternOf<Path, SocketPath> extends infer P extends SocketPath
    ? Paths[P] extends { readonly ws: infer E }
      ? SocketOperationOf<E, P>
      : never
    : never;

type SentTo<Path extends string> = [SocketAt<Path>] extends [never]
  ? unknown
  : [SocketAt<Path>['sent']] extends [never]
    ? unknown
    : SocketAt<Path>['sent'];

type ReceivedFrom<Path extends string> = [SocketAt<Path>] extends [never]
  ? unknown
  : SocketAt<Path>['received'];

type GetPath = { [P in keyof Paths]: Paths[P] extends { readonly get: unknown } ? P : never }[keyof Paths] &
  string;

/** One event of the stream at a path. */
export type EventsAt<Path extends string> = string extends Path
  ? ServerEvent<unknown>
  : PatternOf<Path, GetPath> extends infer P extends GetPath
    ? [P] extends [never]
      ? ServerEvent<unknown>
      : Paths[P] extends { readonly get: infer E }
        ? StreamOf<OperationOf<E, 'get', P>>
        : ServerEvent<unknown>
    : ServerEvent<unknown>;
type StreamOf<O> = O extends { readonly ok: { readonly stream: infer Events } }
  ? ServerEvent<Events>
  : ServerEvent<unknown>;
