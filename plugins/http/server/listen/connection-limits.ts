import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';

/** What a connection may take. All that is 0 has no limit. */
export interface ConnectionLimits {
  /** Milliseconds for the head of a request. */
  readonly headersTimeout: number;
  /** Milliseconds for a whole request. */
  readonly requestTimeout: number;
  /** Milliseconds between two requests. */
  readonly keepAliveTimeout: number;
  /** Bytes of the head of a request. */
  readonly maxHeaderSize: number;
  /** Connections at a time. */
  readonly maxConnections: number;
  /** Requests on one connection. */
  readonly maxRequestsPerConnection: number;
}

/**
 * Milliseconds between two looks of Node for connections that are too slow, which is how much later than said a time-out may
 * act. Node's own 30 seconds would make most values meaningless; a look takes some microseconds.
 */
export const TIMEOUT_CHECK_MS = 1_000;

/** Node documents it as an option of `createServer` alone, and reads it from here with each connection. */
interface Tunable extends Server {
  maxHeaderSize?: number;
}

/** Sets the limits of a server, and closes connections that are too many. */
export class ConnectionLimiter {
  readonly #node: Tunable;
  readonly #sockets: ReadonlySet<Socket>;
  #maxConnections = 0;
  #logger: Logger | undefined;
  /** Whether it has been reported that connections are too many, and they have not become fewer since. */
  #isFull = false;

  /** `sockets` are the connections that are open, the newest included. */
  constructor(node: Server, sockets: ReadonlySet<Socket>) {
    this.#node = node;
    this.#sockets = sockets;
  }

  /** Have other limits from now on. */
  apply(limits: ConnectionLimits, logger: Logger): void {
    const node = this.#node;
    node.headersTimeout = limits.headersTimeout;
    node.requestTimeout = limits.requestTimeout;
    node.keepAliveTimeout = limits.keepAliveTimeout;
    node.maxHeaderSize = limits.maxHeaderSize;
    node.maxRequestsPerSocket = limits.maxRequestsPerConnection;
    this.#maxConnections = limits.maxConnections;
    this.#logger = logger;
  }

  /**
   * Close a new connection that is one too many, without a word, as Node does: an answer would cost what is scarce. Node's own
   * limit is not used, since workers would pass such a connection on to each other for ever.
   */
  admit(socket: Socket): void {
    const max = this.#maxConnections;
    if (max === 0 || this.#sockets.size <= max) {
      // Not at once, or a server at its limit would report each of them.
      if (this.#isFull && this.#sockets.size <= max * 0.9) this.#isFull = false;
      return;
    }
    socket.destroy();
    if (this.#isFull) return;
    this.#isFull = true;
    const what = `More than ${max} connections (http.maxConnections): those that come now are closed.`;
    if (this.#logger) logSafely(this.#logger, 'warn', what);
  }
}
