import { brand, type RuntimeCtx } from '../../kernel/index.js';
import type { HttpRequest, ParamsOf, RouteMeta, RoutePath } from '../http/index.js';

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

/**
 * One connection, as the handler of a file under `ws/` sees it. Its functions can be destructured: they need no `this`.
 */
export interface Socket<Path extends RoutePath = never> {
  /** Values of the bracketed segments, decoded; always strings. */
  readonly params: ParamsOf<Path>;
  /** The request that opened the connection. */
  readonly req: HttpRequest<Path>;
  /** Its request values live as long as the connection. */
  readonly ctx: RuntimeCtx;
  /** Aborts when the connection ends: for `fetch`, timers, loops. */
  readonly signal: AbortSignal;
  /**
   * Send a message. Returns a promise where the client reads more slowly than is written: `await send(…)` waits until
   * it has caught up. A client that lets more than `ws.backpressureLimit` bytes wait is disconnected. After the
   * connection has ended nothing is sent. Throws TypeError for what JSON cannot represent.
   */
  send(data: Sendable): Promise<void> | undefined;
  /**
   * Have `receive` called for each message, one after the other in their order: the next one waits for a promise that
   * it returns. Messages that come before the handler is done are kept until then.
   */
  onMessage(receive: (message: Message) => unknown): void;
  /** The same for clients that speak JSON. Anything else than JSON text closes the connection with 1007. */
  onJson(receive: (value: unknown) => unknown): void;
  /** Run `closed` once, when the connection has ended and its messages have been handled. */
  onClose(closed: (closing: Closing) => unknown): void;
  /**
   * Close the connection: 1000, unless `code` is 3000 to 4999 or another that may be sent (RFC 6455 §7.4). `reason` has
   * at most 123 bytes.
   */
  close(code?: number, reason?: string): void;
  /** Enter a room: what is published there is sent to this connection until it leaves or ends. */
  join(room: string): void;
  leave(room: string): void;
  /**
   * Send to every connection in the room, this one included if it has joined; with `{ self: false }`, except this one.
   */
  publish(room: string, data: Sendable, options?: { readonly self?: boolean }): void;
}

/** Sets a connection up: what it registers is called as long as the connection lasts. May be asynchronous. */
export type SocketHandler<Path extends RoutePath = never> = (socket: Socket<Path>) => unknown;

const ENDPOINT = brand('fwkit.socket');

/** The default export of a file under `ws/`. */
export interface SocketEndpoint<Path extends RoutePath = never> {
  readonly handler: SocketHandler<Path>;
  readonly metadata: RouteMeta;
  /** The same endpoint with more metadata, which middlewares read as `req.route.meta`. */
  meta(more: RouteMeta): SocketEndpoint<Path>;
}

/**
 * Wrap the function that sets up each connection of a WebSocket: `export default ws(({ send, onMessage }) =>
 * onMessage(send))`. `ws<'/ws/rooms/:room'>(({ params }) => …)` types the parameters. What it or a callback throws is
 * logged and closes the connection with 1011; `throw error(403, 'Members only')` closes it with 1008 and that reason.
 * In development an edit ends the connection for the old code, with 1012, and runs the new code for it; the client
 * notices nothing.
 */
export function ws<Path extends RoutePath = never>(handler: SocketHandler<Path>): SocketEndpoint<Path> {
  if (typeof handler !== 'function') throw new TypeError('ws() takes a function that sets a connection up');
  return endpoint(handler, {});
}

function endpoint<Path extends RoutePath>(
  handler: SocketHandler<Path>,
  metadata: RouteMeta,
): SocketEndpoint<Path> {
  const meta = (more: RouteMeta) => endpoint(handler, { ...metadata, ...more });
  return Object.freeze(ENDPOINT.mark({ handler, metadata, meta }));
}

export const isSocketEndpoint = (value: unknown): value is SocketEndpoint => ENDPOINT.has(value);
