import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Closing } from './socket.js';

/** Channels of `node:diagnostics_channel`; the message of both is the `SocketInfo`. */
const SOCKET_OPEN = channel('fwk.socket.open');
const SOCKET_CLOSE = channel('fwk.socket.close');
/** Its message is a `SocketFailure`. */
export const SOCKET_ERROR = channel('fwk.socket.error');

/** One accepted WebSocket. A reload keeps it. */
export class SocketInfo {
  /** Node's request object that opened it. */
  readonly raw: IncomingMessage;
  /** The path of its route: `/ws/rooms/:room`. */
  readonly route: string;
  /** Number of messages received from the client. */
  received: number;
  /** Number of messages passed to the connection. */
  sent: number;
  /** When it was accepted, by `performance.now()`. Negative if another worker accepted it before this one started. */
  readonly openedAt: number;
  /** How it ended; undefined while it is open, also in another worker. */
  closing: Closing | undefined;
  #closedAt: number | undefined;

  /** Internal: `before` has the counts of the worker that handed it over. */
  constructor(raw: IncomingMessage, route: string, before = { received: 0, sent: 0, duration: 0 }) {
    this.raw = raw;
    this.route = route;
    this.received = before.received;
    this.sent = before.sent;
    this.openedAt = performance.now() - before.duration;
  }

  /** Milliseconds from the opening to the end, or until now if it is still open. */
  get duration(): number {
    return (this.#closedAt ?? performance.now()) - this.openedAt;
  }

  /** Internal: the socket can be used from now on. */
  static open(info: SocketInfo): void {
    if (SOCKET_OPEN.hasSubscribers) SOCKET_OPEN.publish(info);
  }

  /** Internal: its connection has ended; without `closing`, another worker continues it. */
  static close(info: SocketInfo, closing?: Closing): void {
    info.closing = closing;
    info.#closedAt = performance.now();
    if (SOCKET_CLOSE.hasSubscribers) SOCKET_CLOSE.publish(info);
  }
}

/** An error that a handler or callback of a socket threw unintentionally. */
export interface SocketFailure {
  readonly error: unknown;
  /** Node's request object that opened the socket. */
  readonly raw: IncomingMessage;
  /** The path of its route. */
  readonly route: string;
}
