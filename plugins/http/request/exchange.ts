import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, type TrustProxy } from './forwarded.js';
import { notesOf, requestId, traceIdOf } from './request-id.js';
import type { RouteInfo } from './route-info.js';
import { originalTargetOf } from './target.js';

/** Channels of `node:diagnostics_channel`; the message of both is the `Exchange`. */
export const REQUEST_START = channel('fwk.request.start');
export const REQUEST_END = channel('fwk.request.end');
/** Its message is a `RequestFailure`. */
export const REQUEST_ERROR = channel('fwk.request.error');

/** One request that is watched, from when its head has come until its response is out, or its client gone. */
export class Exchange {
  /** The route that answers; undefined where none does, as for files of `public/`, and until it is found. */
  route: RouteInfo | undefined;
  /** What was thrown and became a 500. */
  error: unknown;
  /** When its head had come, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** The client's address, as `req.ip`; a connection that has ended has none any more. */
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
    /** Whether the app sent it to itself: it is a part of another request. */
    readonly isInside: boolean,
    trustProxy: TrustProxy,
  ) {
    this.ip = clientAddress(raw, trustProxy);
  }

  /** The id of the request, as `req.id`. */
  get id(): string {
    return requestId(this.raw);
  }

  /** The id of the trace that the request is a part of, as `req.traceId`. */
  get traceId(): string | undefined {
    return traceIdOf(this.raw);
  }

  /**
   * The request target, without the origin that it may have: path and query string. The whole one, as the client sent it, where
   * Express or Connect has cut off what the app is mounted at.
   */
  get target(): string {
    return originalTargetOf(this.raw);
  }

  /** What plugins have noted of the request, for logs. */
  get notes(): Readonly<Record<string, unknown>> | undefined {
    return notesOf(this.raw);
  }

  /** The status that was sent; undefined where the connection ended before. 101 where a WebSocket was accepted. */
  get status(): number | undefined {
    if (this.#ended) return this.#ended.status;
    return this.out.headersSent ? this.out.statusCode : undefined;
  }

  /** Whether the connection ended before the whole response was with the system. */
  get isAborted(): boolean {
    return this.#ended?.isAborted === true;
  }

  /** Milliseconds since it began; when it has ended, until then. A WebSocket ends it when it is accepted. */
  get duration(): number {
    return (this.#ended?.at ?? performance.now()) - this.startedAt;
  }

  /** Internal: have `onEnd` called when it has ended, once. */
  static onEnd(exchange: Exchange, onEnd: () => void): void {
    exchange.#onEnd = onEnd;
  }

  /** Internal: called when the response has ended, or `upgraded` made it a connection of another protocol. */
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

export interface RequestFailure {
  readonly error: unknown;
  readonly raw: IncomingMessage;
  readonly route: RouteInfo;
}

/** Where a request keeps its exchange. Not a `WeakMap`: its entries make each garbage collection take longer. */
const EXCHANGE = Symbol('fwkit.exchange');

interface Watched extends IncomingMessage {
  [EXCHANGE]?: Exchange;
}

export const exchangeOf = (raw: Watched): Exchange | undefined => raw[EXCHANGE];

export const setExchange = (exchange: Exchange): void => {
  (exchange.raw as Watched)[EXCHANGE] = exchange;
};

/** A connection has been handed over to another protocol: for observers, its request has ended. */
export function endUpgraded(raw: IncomingMessage): void {
  const exchange = exchangeOf(raw);
  if (exchange) Exchange.end(exchange, true);
}

/** Connections in memory over which an app sends requests to itself. */
const insideConnections = new WeakSet<object>();

export const markInside = (connection: object): void => void insideConnections.add(connection);

/** Whether the app has sent a request to itself: it is a part of another request. */
export const isInside = ({ socket }: IncomingMessage): boolean => insideConnections.has(socket);
