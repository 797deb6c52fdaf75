import type { Client, ServerEvent } from '../../client/index.js';
import type { OperationOf, SocketOperationOf } from '../../client/internal.js';
import type { Paths } from '../../plugins/http/index.js';
import type { TestEvents, TestEventsOptions } from './events.js';
import type { TestMcp } from './mcp.js';

/** How a connection ended. */
export interface TestClosing {
  /** RFC 6455 §7.4.1. 1005: no code was sent. 1006: the connection was lost. */
  readonly code: number;
  readonly reason: string;
}

/** An open connection to a file under `ws/`. Iterating yields its messages, including buffered ones, until it ends. */
export interface TestSocket<Sent = unknown, Received = unknown> extends AsyncIterable<Received> {
  /** The subprotocol that the app chose; empty if there is none. */
  readonly protocol: string;
  /**
   * Send a message: values other than text and bytes as JSON. If the socket has a schema for `receive`, text is sent as JSON, too. Throws
   * if the connection is closed.
   */
  send(message: Sent): void;
  /**
   * The next message: the parsed value if it is JSON, else its text; bytes as a Buffer. Rejects if none arrives within 4 s, or the
   * connection has ended.
   */
  next(): Promise<Received>;
  /** Close the connection. Resolves with its close code and reason. */
  close(code?: number, reason?: string): Promise<TestClosing>;
  /** Resolves when the connection has ended, whichever side closed it. */
  readonly closed: Promise<TestClosing>;
  /** Drop the connection, like a client that loses its network. */
  terminate(): void;
}

/** Options for opening a socket. */
export interface TestSocketOptions {
  /** Headers of the handshake. By default it comes from a page of the app itself. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subprotocols that the client offers. */
  readonly protocols?: readonly string[];
}

/** Options of a request. */
export interface TestRequestOptions {
  /** Headers that are added to the visitor's, or replace them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain objects and arrays are sent as JSON, other values as `fetch` sends them. */
  readonly body?: unknown;
  /** Aborts the request, like a client that disconnects. */
  readonly signal?: AbortSignal;
}

export type Ask = (path: string, options?: TestRequestOptions) => Promise<Response>;
export type Send = (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;

/** A client of a test app. It stores cookies like a browser, and sends the headers of a page of the app. */
export interface TestVisitor {
  readonly get: Ask;
  readonly head: Ask;
  readonly options: Ask;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly del: Send;
  readonly request: (method: string, path: string, options?: TestRequestOptions) => Promise<Response>;
  /** Answer a web Request, with the visitor's cookies unless it has its own: for clients that accept a `fetch` function. */
  readonly fetch: (request: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** The typed client of the app: `app.api('/api/books').post({ body })`. */
  readonly api: Client;
  /** Connect to a socket: `await app.ws('/ws/rooms/tea')`. Rejects with a TestRefusal if the handshake is refused. */
  readonly ws: <const Path extends string>(
    path: AskedSocket<Path>,
    options?: TestSocketOptions,
  ) => Promise<TestSocket<SentTo<Path>, ReceivedFrom<Path>>>;
  /** GET an event stream. Rejects with a TestRefusal if the response is not an event stream. */
  readonly sse: <const Path extends string>(
    path: Path,
    options?: TestEventsOptions,
  ) => Promise<TestEvents<EventsAt<Path>>>;
  /** The client of `/mcp`. */
  readonly mcp: TestMcp;
  /** The cookies that the app has set, by name. Clear it to become a new visitor. */
  readonly cookies: Map<string, string>;
}

/** The paths of the project that have sockets: `/ws/rooms/:room`. Inferred, so that the compiler prints the paths. */
type SocketPath = {
  [P in keyof Paths]: Paths[P] extends { readonly ws: unknown } ? P : never;
}[keyof Paths] extends infer Path extends string
  ? Path
  : never;

/** A path with strings for its parameters: `/ws/rooms/${string}`. */
type PathWithValues<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${PathWithValues<Rest>}`
  : Segment<Path>;
type Segment<Text extends string> = Text extends `:${string}` | `*${string}` ? string : Text;

/** The project's path that matches a request path without its query: a path without parameters first. */
type PatternOf<Path extends string, All> =
  WithoutQuery<Path> extends infer TestTarget
    ? TestTarget extends All
      ? TestTarget
      : { [P in All & string]: TestTarget extends PathWithValues<P> ? P : never }[All & string]
    : never;
type WithoutQuery<Path extends string> = Path extends `${infer TestTarget}?${string}` ? TestTarget : Path;

/** `Path`, if it may match a socket of the project; else the paths that do. If no path is known, any path. */
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
