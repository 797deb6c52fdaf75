import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { HttpProblem } from '../../request/http-error.js';
import { newestWaiting } from '../serve/pipelined.js';

/** Undocumented fields of Node that are read. They have existed since its first versions. */
interface Internals {
  /** The response whose turn it is, until all of it is passed to the operating system. Undefined before the first response. */
  readonly _httpMessage?: ServerResponse | null;
  /** Null once the connection speaks another protocol. */
  readonly parser?: unknown;
}

/** Whether the connection still speaks HTTP and hasn't been upgraded. */
export const speaksHttp = ({ parser }: Socket & Internals): boolean => Boolean(parser);

export const isAnswering = ({ _httpMessage }: Socket & Internals): boolean => Boolean(_httpMessage);

export const hasAnswered = ({ _httpMessage }: Socket & Internals): boolean => _httpMessage !== undefined;

/** The response to the most recent request that is still unanswered. */
export const newestOn = (socket: Socket & Internals): ServerResponse | undefined =>
  newestWaiting(socket) ?? socket._httpMessage ?? undefined;

/** Milliseconds that a client may take to close its side. Bytes that it sends meanwhile must not reset the response. */
const LINGER_MS = 500;

const TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const SHUTTING_DOWN = new HttpProblem(503, 'The server is shutting down');

interface ClosingConnection {
  /** The response that sends `Connection: close`. */
  last: ServerResponse | undefined;
  /** Whether `last` would have kept the connection open. */
  keeps: boolean;
  /** The bytes received when the last request was answered. If there are more, an incomplete head has arrived. */
  bytesRead: number;
  timer: NodeJS.Timeout | undefined;
  isEnding: boolean;
}

/** How long to wait for connections, in milliseconds. */
export interface WaitTimes {
  /** For the next request on an idle connection. */
  readonly idle: number;
  /** For the first request on a connection, or for the rest of a head. */
  readonly begun: number;
}

/**
 * Closes the connections of a server without losing requests. Every response that hasn't begun sends `Connection: close`. If
 * several requests are in progress on a connection, only the last response sends it, because no request is answered after it
 * (RFC 9112 §9.6). An idle connection is kept for a while: a request may be under way, and closing immediately would reset
 * it. Then it is half-closed, as RFC 9112 §9.6 recommends.
 */
export class Drain {
  readonly #sockets: Iterable<Socket>;
  readonly #closing = new Map<Socket, ClosingConnection>();
  readonly #answer: RequestListener;
  #waitTimes: WaitTimes;
  #until: number;

  /** `answer` handles the requests that arrive. */
  constructor(sockets: Iterable<Socket>, answer: RequestListener, waitTimes: WaitTimes) {
    this.#sockets = sockets;
    this.#answer = answer;
    this.#waitTimes = waitTimes;
    this.#until = performance.now() + waitTimes.idle;
    for (const socket of sockets) this.watch(socket);
  }

  watch(socket: Socket): void {
    if (this.#closing.has(socket) || !speaksHttp(socket)) return;
    const bytesRead = hasAnswered(socket) ? socket.bytesRead : 0;
    const connection: ClosingConnection = {
      last: undefined,
      keeps: true,
      bytesRead,
      timer: undefined,
      isEnding: false,
    };
    this.#closing.set(socket, connection);
    socket.once('close', () => {
      clearTimeout(connection.timer);
      this.#closing.delete(socket);
    });
    // Node calls this after a response with `Connection: close`.
    socket.destroySoon = () => this.#hangUp(socket, connection);
    const newest = newestOn(socket);
    if (newest) this.#announceWith(newest, socket, connection);
    else this.#wait(socket, connection);
  }

  /** Answer a request that has arrived. It is the last one on its connection unless others follow immediately. */
  admit(raw: IncomingMessage, out: ServerResponse): void {
    const { socket } = raw;
    const connection = this.#closing.get(socket);
    if (!connection) return this.#answer(raw, out);
    clearTimeout(connection.timer);
    if (connection.isEnding || this.#hasAnnouncedEnd(connection)) return sendShuttingDown(raw, out);
    if (connection.last && !connection.last.headersSent) connection.last.shouldKeepAlive = connection.keeps;
    this.#announceWith(out, socket, connection);
    // Requests in the same packet are parsed by then.
    setImmediate(() => this.#answer(raw, out));
  }

  change(waitTimes: WaitTimes): void {
    this.#waitTimes = waitTimes;
    this.#until = performance.now() + waitTimes.idle;
    for (const [socket, connection] of this.#closing)
      if (!isAnswering(socket)) this.#wait(socket, connection);
  }

  /** Whether each connection has announced its end or no longer speaks HTTP. */
  get isQuiet(): boolean {
    for (const [socket, { last, isEnding }] of this.#closing)
      if (!last && !isEnding && speaksHttp(socket)) return false;
    return true;
  }

  /** Close all connections immediately. Returns whether a request was cut off. */
  cut(): boolean {
    let isCut = false;
    for (const socket of this.#sockets) {
      // Node has handed over a connection that no longer speaks HTTP, but it may still have a response.
      const isBusy = isAnswering(socket);
      if (!isBusy && !speaksHttp(socket)) continue;
      isCut ||= isBusy;
      socket.destroy();
    }
    return isCut;
  }

  /** Send `Connection: close` with `out`. If its head has already been sent, the next response does it. */
  #announceWith(out: ServerResponse, socket: Socket, connection: ClosingConnection): void {
    if (!out.headersSent) {
      connection.last = out;
      connection.keeps = out.shouldKeepAlive;
      out.shouldKeepAlive = false;
    }
    out.once('close', () => {
      connection.bytesRead = socket.bytesRead;
      this.#wait(socket, connection);
    });
  }

  /** A limit for clients that ignore `Connection: close`, and for handlers that override it. */
  #hasAnnouncedEnd({ last }: ClosingConnection): boolean {
    if (!last) return false;
    return (last.headersSent && !last.shouldKeepAlive) || performance.now() > this.#until;
  }

  #wait(socket: Socket, connection: ClosingConnection): void {
    if (connection.isEnding) return;
    clearTimeout(connection.timer);
    const { idle, begun } = this.#waitTimes;
    const first = Math.min(idle, begun);
    this.#wakeIn(
      first,
      socket,
      () => {
        const isIdle = hasAnswered(socket) && socket.bytesRead === connection.bytesRead;
        if (isIdle && idle > first)
          this.#wakeIn(idle - first, socket, () => this.#endIdle(socket, connection), connection);
        else this.#endIdle(socket, connection);
      },
      connection,
    );
  }

  /**
   * Call `wake` unless the connection is answering by then. Data that the operating system has already received is read
   * first, however long this process was busy.
   */
  #wakeIn(time: number, socket: Socket, wake: () => void, connection: ClosingConnection): void {
    if (time === Number.POSITIVE_INFINITY) return;
    const look = () => {
      if (!socket.destroyed && speaksHttp(socket) && !isAnswering(socket)) wake();
    };
    connection.timer = setTimeout(() => setImmediate(look), time);
  }

  #endIdle(socket: Socket, connection: ClosingConnection): void {
    if (socket.bytesRead > connection.bytesRead) socket.write(TIMEOUT_RESPONSE);
    this.#hangUp(socket, connection);
  }

  #hangUp(socket: Socket, connection: ClosingConnection): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    clearTimeout(connection.timer);
    socket.end();
    connection.timer = setTimeout(() => socket.destroy(), LINGER_MS);
  }
}

/** Reject a request that came after `Connection: close`. The client can safely retry elsewhere, because nothing was processed. */
function sendShuttingDown(raw: IncomingMessage, out: ServerResponse): void {
  raw.resume();
  out.writeHead(SHUTTING_DOWN.status, { Connection: 'close', 'Content-Type': 'application/problem+json' });
  out.end(SHUTTING_DOWN.problem);
}
