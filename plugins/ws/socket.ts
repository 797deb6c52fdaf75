import type { IncomingHttpHeaders } from 'node:http';
import { brand } from '../../contributions/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, In, Out, RouteMeta, RoutePath, StandardSchema } from '../http/index.js';
import { DefinitionError } from '../http/index.js';
import {
  type AnyDefinition,
  type AnyParams,
  type AnyQuery,
  definitionOf,
  type InputDefinition,
  type Issue,
  type ParamsOf,
} from '../http/internal.js';
import { checkStateSchema } from './state.js';

/** A message from the client: text as a string, bytes as a Buffer (RFC 6455 §5.6). */
export type Message = string | Buffer;

/** Text is sent as text, bytes as a binary message, anything else as JSON text. */
export type Sendable = string | Uint8Array | ArrayBuffer | number | boolean | null | object;

/** How a connection ended. */
export interface Closing {
  /** RFC 6455 §7.4.1. 1005: no code given. 1006: connection broken. 1012: handler replaced by newer code. */
  readonly code: number;
  readonly reason: string;
}

/** One connection, as seen by a handler in `ws/`. Its functions need no `this`. */
export interface Socket<
  Path extends RoutePath = never,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
  Receive = never,
  Send = never,
  State = never,
> {
  /** Decoded values of the bracketed segments; strings unless a schema converts them. */
  readonly params: Params;
  /** The request that opened the connection. */
  readonly req: HttpRequest<Path, unknown, Params, Query, RequestHeaders>;
  /** The subprotocol that was chosen from `protocols`; '' if none was. */
  readonly protocol: string;
  /**
   * The state that the connection keeps when newer code or another worker continues it, as JSON. Change its properties. Undefined
   * without a schema for `state`.
   */
  readonly state: Out<State, undefined>;
  /** Its request values live as long as the connection. */
  readonly ctx: RuntimeCtx;
  /** Aborts when the connection ends. Pass it to `fetch`, timers and loops. */
  readonly signal: AbortSignal;
  /**
   * Send a message. If the client reads too slowly, returns a promise: `await send(…)` waits until
   * the client has caught up. A client with more than `ws.backpressureLimit` buffered bytes is
   * disconnected. After the connection has ended, nothing is sent, and the promise rejects while the
   * handler runs, so that its loop ends; fwk ignores that error. Throws TypeError for a value
   * that JSON cannot represent. If the socket has a schema for `send`, everything except bytes is
   * sent as JSON; a value that doesn't match the schema closes the connection with code 1011, and
   * the promise rejects with TypeError.
   */
  send(data: In<Send, Sendable>): Promise<void> | undefined;
  /**
   * Call `receive` for each message, unchecked and in order. If it returns a promise, the next
   * message waits for it. Messages that arrive before the handler is done are queued.
   */
  onMessage(receive: (message: Message) => unknown): void;
  /**
   * Like `onMessage`, for clients that send JSON: `receive` gets the parsed value, which is the
   * output of the schema for `receive` if there is one. A message that is not JSON or doesn't match
   * the schema closes the connection with code 1007, unless `onInvalid` is used.
   */
  onJson(receive: (value: Out<Receive>) => unknown): void;
  /**
   * Call `invalid` with the issues of an invalid message instead of closing the connection. If the
   * message is not JSON, there is one issue with an empty path.
   */
  onInvalid(invalid: (issues: readonly Issue[]) => unknown): void;
  /** Run `closed` once, when the connection has ended and its messages have been handled. */
  onClose(closed: (closing: Closing) => unknown): void;
  /**
   * Close the connection. `code` is 1000 by default; 3000 to 4999 and the other codes that may be
   * sent are allowed (RFC 6455 §7.4). `reason` has at most 123 bytes.
   */
  close(code?: number, reason?: string): void;
  /** Join a room: messages published in it are sent to this connection until it leaves the room or ends. */
  join(room: string): void;
  /** Leave a room. Does nothing if the connection has not joined it. */
  leave(room: string): void;
  /** Send to all connections in the room, including this one if it joined; `{ self: false }` skips it. */
  publish(room: string, data: In<Send, Sendable>, options?: { readonly self?: boolean }): void;
}

/** Sets up a connection: its callbacks are called as long as the connection lasts. May be asynchronous. */
export type SocketHandler<Path extends RoutePath = never, Params = ParamsOf<Path>> = (
  socket: Socket<Path, Params>,
) => unknown;

/** Sets up a connection of a route with schemas. */
export type CheckedSocketHandler<P, Q, H, R, S, T = never> = (
  socket: Socket<never, Out<P, AnyParams>, Out<Q, AnyQuery>, Out<H, IncomingHttpHeaders>, R, S, T>,
) => unknown;

/** The definition of a socket, except for its handler. */
export interface SocketDefinition<
  P = unknown,
  Q = unknown,
  H = unknown,
  R = unknown,
  S = unknown,
  T = unknown,
> extends InputDefinition<P, Q, H> {
  /**
   * The subprotocols that the handler speaks, the preferred one first (RFC 6455 §1.9). The first one that the client offers
   * is chosen. Without this list, none is chosen. `req.headers['sec-websocket-protocol']` lists the offers.
   */
  readonly protocols?: readonly string[];
  /** Schema of the messages from clients, which are JSON. */
  readonly receive?: R;
  /** Schema of the messages to clients, sent and published. They are JSON, except for bytes. */
  readonly send?: S;
  /**
   * Schema of the state that the connection keeps when newer code or another worker continues it. A new connection has the output
   * for `{}`, so each field needs a default. It must be synchronous.
   */
  readonly state?: T;
}

const ENDPOINT = brand('fwkit.socket');

/** The default export of a file in `ws/`, typed by its schemas: `params`, `query`, `receive`, `send`. */
export interface SocketEndpoint<P = never, Q = never, R = never, S = never> {
  readonly handler: SocketHandler;
  readonly metadata: RouteMeta;
  readonly definition?: AnyDefinition;
  /** The same endpoint with additional metadata, which middlewares read as `req.route.meta`. */
  meta(more: RouteMeta): SocketEndpoint<P, Q, R, S>;
  /** For types only: the property does not exist at runtime. */
  readonly '~socket'?: { readonly params: P; readonly query: Q; readonly receive: R; readonly send: S };
}

/**
 * Define a WebSocket endpoint by the function that sets up each connection: `export default ws(({
 * send, onMessage }) => onMessage(send))`. `ws<'/ws/rooms/:room'>(({ params }) => …)` types the
 * parameters. An error thrown by the function or a callback is logged and closes the connection
 * with code 1011; `throw error(403, 'Members only')` closes it with code 1008 and that reason. In
 * development, an edit ends the connection for the old code, with code 1012, and runs the new code
 * for it; the client stays connected.
 */
export function ws<Path extends RoutePath = never>(
  handler: SocketHandler<Path, [Path] extends [never] ? AnyParams : ParamsOf<Path>>,
): SocketEndpoint;
export function ws<
  P extends StandardSchema = never,
  Q extends StandardSchema = never,
  H extends StandardSchema = never,
  R extends StandardSchema = never,
  S extends StandardSchema = never,
  T extends StandardSchema = never,
>(
  definition: SocketDefinition<P, Q, H, R, S, T>,
  handler: CheckedSocketHandler<P, Q, H, R, S, T>,
): SocketEndpoint<P, Q, R, S>;
export function ws(first: unknown, second?: unknown): SocketEndpoint {
  if (second === undefined) {
    if (isHandler(first)) return endpoint(first, {});
    throw new DefinitionError('ws() takes a function that sets up a connection', 'FWK402');
  }
  const definition = definitionOf('ws', first, [
    'params',
    'query',
    'headers',
    'protocols',
    'receive',
    'send',
    'state',
  ]);
  if (!isHandler(second))
    throw new DefinitionError('ws() needs a handler function after its definition.', 'FWK402');
  if (definition.state) checkStateSchema(definition.state);
  return endpoint(second, {}, definition);
}

const isHandler = (value: unknown): value is SocketHandler => typeof value === 'function';

function endpoint(handler: SocketHandler, metadata: RouteMeta, definition?: AnyDefinition): SocketEndpoint {
  const meta = (more: RouteMeta) => endpoint(handler, { ...metadata, ...more }, definition);
  return Object.freeze(ENDPOINT.mark({ handler, metadata, ...(definition ? { definition } : {}), meta }));
}

export const isSocketEndpoint = (value: unknown): value is SocketEndpoint => ENDPOINT.has(value);
