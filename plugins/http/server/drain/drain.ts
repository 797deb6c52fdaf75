import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { sendRejection } from '../../errors/send-rejection.js';
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
  /** The bytes received when the last request was answered. If there are more, an incomplete head has arrived. */
  bytesRead: number;
  timer: NodeJS.Timeout | undefined;
  isEnding: boolean;
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
  /** Milliseconds to wait for the next request on a connection, or for the rest of a head. */
  #grace: number;
  #until: number;

  /** `answer` handles the requests that arrive. */
  constructor(sockets: Iterable<Socket>, answer: RequestListener, grace: number) {
    this.#sockets = sockets;
    this.#answer = answer;
    this.#grace = grace;
    this.#until = performance.now() + grace;
    for (const socket of sockets) this.watch(socket);
  }

  watch(socket: Socket): void {
    if (this.#closing.has(socket) || !speaksHttp(socket)) return;
    const bytesRead = hasAnswered(socket) ? socket.bytesRead : 0;
    const connection: ClosingConnection = {
      last: undefined,
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
    if (connection.isEnding || this.#hasAnnouncedEnd(connection)) {
      // The client can safely retry elsewhere, because nothing was processed.
      out.shouldKeepAlive = false;
      return sendRejection(raw, out, SHUTTING_DOWN);
    }
    clearTimeout(connection.timer);
    // Node parses no request after one that asks to close the connection, so `last` would have kept it open.
    if (connection.last && !connection.last.headersSent) connection.last.shouldKeepAlive = true;
    this.#announceWith(out, socket, connection);
    // Requests in the same packet are parsed by then.
    setImmediate(() => this.#answer(raw, out));
  }

  change(grace: number): void {
    this.#grace = grace;
    this.#until = performance.now() + grace;
    for (const [socket, connection] of this.#closing)
      if (!isAnswering(socket)) this.#wait(socket, connection);
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

  /**
   * End the connection after a while, unless it is answering by then. Data that the operating system has already received is
   * read first, however long this process was busy.
   */
  #wait(socket: Socket, connection: ClosingConnection): void {
    if (connection.isEnding) return;
    clearTimeout(connection.timer);
    if (this.#grace === Number.POSITIVE_INFINITY) return;
    const endIdle = () => {
      if (socket.destroyed || !speaksHttp(socket) || isAnswering(socket)) return;
      if (socket.bytesRead > connection.bytesRead) socket.write(TIMEOUT_RESPONSE);
      this.#hangUp(socket, connection);
    };
    connection.timer = setTimeout(() => setImmediate(endIdle), this.#grace);
  }

  #hangUp(socket: Socket, connection: ClosingConnection): void {
    if (connection.isEnding) return;
    connection.isEnding = true;
    clearTimeout(connection.timer);
    socket.end();
    connection.timer = setTimeout(() => socket.destroy(), LINGER_MS);
  }
}
