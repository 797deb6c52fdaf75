import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../http/index.js';
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
  received = 0;
  /** Number of messages passed to the connection. */
  sent = 0;
  /** When it was accepted, by `performance.now()`. */
  readonly openedAt = performance.now();
  /** How it ended; undefined while it is open. */
  closing: Closing | undefined;
  #closedAt: number | undefined;

  constructor({ raw, route }: Pick<HttpRequest, 'raw' | 'route'>) {
    this.raw = raw;
    this.route = route.path ?? '';
  }

  /** Milliseconds from the opening to the end, or until now if it is still open. */
  get duration(): number {
    return (this.#closedAt ?? performance.now()) - this.openedAt;
  }

  /** Internal: the socket can be used from now on. */
  static open(info: SocketInfo): void {
    if (SOCKET_OPEN.hasSubscribers) SOCKET_OPEN.publish(info);
  }

  /** Internal: its connection has ended. */
  static close(info: SocketInfo, closing: Closing): void {
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
