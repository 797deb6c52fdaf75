import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientAddress } from './forwarded.js';
import type { TrustProxy } from './project-settings.js';
import { notesOf, requestId, traceIdOf } from './request-id.js';
import type { RouteInfo } from './route-info.js';
import { originalTargetOf } from './target.js';

/** Channels of `node:diagnostics_channel`. The message of both is the `Exchange`. */
export const REQUEST_START = channel('fwk.request.start');
export const REQUEST_END = channel('fwk.request.end');
/** The message of this channel is a `RequestFailure`. */
export const REQUEST_ERROR = channel('fwk.request.error');

/** A request that is observed, from the arrival of its head until the response is sent or the client disconnects. */
export class Exchange {
  /** The route that answers. Undefined until the route is found, and for requests without one, such as files in `public/`. */
  route: RouteInfo | undefined;
  /** The unexpected error that became a 500. */
  error: unknown;
  /** When the head arrived, by `performance.now()`. */
  readonly startedAt: number;
  /** The client's address, like `req.ip`. Read early, because a closed connection no longer has an address. */
  readonly ip: string;
  #ended:
    | { readonly at: number; readonly status: number | undefined; readonly isAborted: boolean }
    | undefined;
  #onEnd: (() => void) | undefined;

  constructor(
    /** Node's own request. */
    readonly raw: IncomingMessage,
    /** Node's own response. */
    readonly out: ServerResponse,
    /** Whether the app sent this request to itself, as part of another request or because a WebSocket moved between workers. */
    readonly isInternal: boolean,
    trustProxy: TrustProxy,
  ) {
    this.startedAt = performance.now() - (arrivalOf(raw)?.age ?? 0);
    this.ip = clientAddress(raw, trustProxy);
  }

  /** The id of the request, as `req.id`. */
  get id(): string {
    return requestId(this.raw);
  }

  /** The id of the trace that the request belongs to, as `req.traceId`. */
  get traceId(): string | undefined {
    return traceIdOf(this.raw);
  }

  /** The target as path and query string, without origin, but with a mount path that Express removed. */
  get target(): string {
    return originalTargetOf(this.raw);
  }

  /** The fields that plugins added to the request's log lines. */
  get notes(): Readonly<Record<string, unknown>> | undefined {
    return notesOf(this.raw);
  }

  /** The status that was sent; undefined if the connection closed before. 101 for an accepted WebSocket. */
  get status(): number | undefined {
    if (this.#ended) return this.#ended.status;
    return this.out.headersSent ? this.out.statusCode : undefined;
  }

  /** Whether the connection closed before the whole response was passed to the operating system. */
  get isAborted(): boolean {
    return this.#ended?.isAborted === true;
  }

  /** Milliseconds since the request began, or until it ended. An accepted WebSocket ends the request. */
  get duration(): number {
    return (this.#ended?.at ?? performance.now()) - this.startedAt;
  }

  /** Internal: have `onEnd` called once when the request has ended. */
  static onEnd(exchange: Exchange, onEnd: () => void): void {
    exchange.#onEnd = onEnd;
  }

  /** Internal: called when the response has ended, or with `upgraded` when another protocol has taken over the connection. */
  static end(exchange: Exchange, upgraded: boolean): void {
    const onEnd = exchange.#onEnd;
    if (!onEnd) return;
    exchange.#onEnd = undefined;
    const { out, status } = exchange;
    exchange.#ended = {
      at: performance.now(),
      status: upgraded ? 101 : status,
      isAborted: !upgraded && !out.writableFinished,
    };
    onEnd();
  }
}

/** The message of the channel `fwk.request.error`. */
export interface RequestFailure {
  readonly error: unknown;
  readonly raw: IncomingMessage;
  readonly route: RouteInfo;
}

/** The property of a request that holds its exchange. Not a `WeakMap`, whose entries slow down garbage collection. */
const EXCHANGE = Symbol('fwkit.exchange');

interface ObservedRequest extends IncomingMessage {
  [EXCHANGE]?: Exchange;
}

export const exchangeOf = (raw: ObservedRequest): Exchange | undefined => raw[EXCHANGE];

export const setExchange = (exchange: Exchange): void => {
  (exchange.raw as ObservedRequest)[EXCHANGE] = exchange;
};

/** Another protocol has taken over the connection: end the request for its observers. */
export function endUpgraded(raw: IncomingMessage): void {
  const exchange = exchangeOf(raw);
  if (exchange) Exchange.end(exchange, true);
}

/** Another process continues the response: its observers are not called in this one. */
export function abandonExchange(raw: IncomingMessage): void {
  const exchange = exchangeOf(raw);
  if (exchange) Exchange.onEnd(exchange, () => {});
}

/** In-memory connections over which an app sends requests to itself. */
const internalConnections = new WeakSet<object>();

export const markInternal = (connection: object): void => void internalConnections.add(connection);

/** Whether the app sent this request to itself, as part of another request. */
export const isInternal = ({ socket }: IncomingMessage): boolean => internalConnections.has(socket);

/** A connection that another process has handed over together with the request that it is serving. */
export interface Arrival {
  /** What the plugin that serves the connection needs to continue. */
  readonly details?: object;
  /** Milliseconds since its request arrived, if the process observes the request. */
  readonly age?: number;
  /** The bytes of its response that other processes have sent. */
  readonly sent?: number;
}

/** Until their request is served again. */
const arrivals = new Map<object, Arrival>();

/** What arrived with the connection of `raw`; undefined if this process has accepted the connection or already continues. */
export const arrivalOf = ({ socket }: IncomingMessage): Arrival | undefined =>
  arrivals.size > 0 ? arrivals.get(socket) : undefined;

export function setArrival(socket: Socket, arrival: Arrival): void {
  arrivals.set(socket, arrival);
  socket.once('close', () => arrivals.delete(socket));
}

/** The request of an arrived connection is served again: later requests on the connection are ordinary ones. */
export const endArrival = ({ socket }: IncomingMessage): void => void arrivals.delete(socket);
