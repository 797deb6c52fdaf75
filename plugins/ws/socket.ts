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

/** A message from the client: text as a string, bytes as a Buffer (RFC 6455 §5.6). */
export type Message = string | Buffer;

/** Text is sent as text, bytes as a binary message, anything else as JSON text. */
export type Sendable = string | Uint8Array | ArrayBuffer | number | boolean | null | object;

/** How a connection ended. */
export interface Closing {
  /** RFC 6455 §7.4.1. 1005: none was given. 1006: the connection broke. 1012: the code was replaced by newer code. */
  readonly code: number;
  readonly reason: string;
}

/** One connection, as the handler of a file under `ws/` sees it. Its functions can be destructured: they need no `this`. */
export interface Socket<
  Path extends RoutePath = never,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
  Receive = never,
  Send = never,
> {
  /** Values of the bracketed segments, decoded; strings unless a schema makes them something else. */
  readonly params: Params;
  /** The request that opened the connection. */
  readonly req: HttpRequest<Path, unknown, Params, Query, RequestHeaders>;
  /** Its request values live as long as the connection. */
  readonly ctx: RuntimeCtx;
  /** Aborts when the connection ends: for `fetch`, timers, loops. */
  readonly signal: AbortSignal;
  /**
   * Send a message. Returns a promise where the client reads more slowly than is written: `await send(…)` waits until
   * it has caught up. A client that lets more than `ws.backpressureLimit` bytes wait is disconnected. After the
   * connection has ended nothing is sent. Throws TypeError for what JSON cannot represent. Of a socket with a schema for
   * `send`, all but bytes is sent as JSON; what the schema refuses closes the connection with 1011, and rejects with TypeError.
   */
  send(data: In<Send, Sendable>): Promise<void> | undefined;
  /**
   * Have `receive` called for each message as it comes, unchecked, one after the other in their order: the next one waits for a promise that
   * it returns. Messages that come before the handler is done are kept until then.
   */
  onMessage(receive: (message: Message) => unknown): void;
  /**
   * The same for clients that speak JSON: with the value that came out of the schema for `receive`, where there is one.
   * What is not JSON text, or does not fit, closes the connection with 1007, unless `onInvalid` is used.
   */
  onJson(receive: (value: Out<Receive>) => unknown): void;
  /**
   * Have `invalid` called in place of that, with what is wrong; the connection stays. What is not JSON text is one issue
   * whose path is empty.
   */
  onInvalid(invalid: (issues: readonly Issue[]) => unknown): void;
  /** Run `closed` once, when the connection has ended and its messages have been handled. */
  onClose(closed: (closing: Closing) => unknown): void;
  /**
   * Close the connection: 1000, unless `code` is 3000 to 4999 or another that may be sent (RFC 6455 §7.4). `reason` has
   * at most 123 bytes.
   */
  close(code?: number, reason?: string): void;
  /** Enter a room: what is published there is sent to this connection until it leaves or ends. */
  join(room: string): void;
  /** Leave a room; nothing where it is not in it. */
  leave(room: string): void;
  /** Send to every connection in the room, this one included if it has joined; with `{ self: false }`, except this one. */
  publish(room: string, data: In<Send, Sendable>, options?: { readonly self?: boolean }): void;
}

/** Sets a connection up: what it registers is called as long as the connection lasts. May be asynchronous. */
export type SocketHandler<Path extends RoutePath = never, Params = ParamsOf<Path>> = (
  socket: Socket<Path, Params>,
) => unknown;

/** Sets up a connection of a route with schemas. */
export type CheckedSocketHandler<P, Q, H, R, S> = (
  socket: Socket<never, Out<P, AnyParams>, Out<Q, AnyQuery>, Out<H, IncomingHttpHeaders>, R, S>,
) => unknown;

/** What a socket says of itself beside its handler. */
export interface SocketDefinition<P = unknown, Q = unknown, H = unknown, R = unknown, S = unknown>
  extends InputDefinition<P, Q, H> {
  /** The messages of clients, which are JSON. */
  readonly receive?: R;
  /** The messages to clients, sent and published. They are JSON, but for bytes. */
  readonly send?: S;
}

const ENDPOINT = brand('fwkit.socket');

/** The default export of a file under `ws/`. Its type parameters are its schemas: `params`, `query`, `receive`, `send`. */
export interface SocketEndpoint<P = never, Q = never, R = never, S = never> {
  readonly handler: SocketHandler;
  readonly metadata: RouteMeta;
  readonly definition?: AnyDefinition;
  /** The same endpoint with more metadata, which middlewares read as `req.route.meta`. */
  meta(more: RouteMeta): SocketEndpoint<P, Q, R, S>;
  /** Types only: there is no such property. */
  readonly '~socket'?: { readonly params: P; readonly query: Q; readonly receive: R; readonly send: S };
}

/**
 * Wrap the function that sets up each connection of a WebSocket: `export default ws(({ send, onMessage }) =>
 * onMessage(send))`. `ws<'/ws/rooms/:room'>(({ params }) => …)` types the parameters. What it or a callback throws is
 * logged and closes the connection with 1011; `throw error(403, 'Members only')` closes it with 1008 and that reason.
 * In development an edit ends the connection for the old code, with 1012, and runs the new code for it; the client
 * notices nothing.
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
>(
  definition: SocketDefinition<P, Q, H, R, S>,
  handler: CheckedSocketHandler<P, Q, H, R, S>,
): SocketEndpoint<P, Q, R, S>;
export function ws(first: unknown, second?: unknown): SocketEndpoint {
  if (second === undefined) {
    if (isHandler(first)) return endpoint(first, {});
    throw new DefinitionError('ws() takes a function that sets a connection up', 'FWK402');
  }
  const definition = definitionOf('ws', first, ['params', 'query', 'headers', 'receive', 'send']);
  if (!isHandler(second))
    throw new DefinitionError('ws() needs a handler function after its definition.', 'FWK402');
  return endpoint(second, {}, definition);
}

const isHandler = (value: unknown): value is SocketHandler => typeof value === 'function';

function endpoint(handler: SocketHandler, metadata: RouteMeta, definition?: AnyDefinition): SocketEndpoint {
  const meta = (more: RouteMeta) => endpoint(handler, { ...metadata, ...more }, definition);
  return Object.freeze(ENDPOINT.mark({ handler, metadata, ...(definition ? { definition } : {}), meta }));
}

export const isSocketEndpoint = (value: unknown): value is SocketEndpoint => ENDPOINT.has(value);
