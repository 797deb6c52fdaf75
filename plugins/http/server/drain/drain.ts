import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { HttpProblem } from '../../request/http-error.js';
import { newestWaiting } from '../serve/pipelined.js';

/** The fields of Node's that are read; it does not document them, and has had them since its first versions. */
interface Internals {
  /** The response whose turn it is, until the system has all of it. Undefined before the first. */
  readonly _httpMessage?: ServerResponse | null;
  /** Null once the connection speaks another protocol. */
  readonly parser?: unknown;
}

/** Whether HTTP is spoken there, and not what an upgrade has led to. */
const speaksHttp = ({ parser }: Socket & Internals): boolean => Boolean(parser);

const isAnswering = ({ _httpMessage }: Socket & Internals): boolean => Boolean(_httpMessage);

const hasAnswered = ({ _httpMessage }: Socket & Internals): boolean => _httpMessage !== undefined;

/** The response to the last request that has come and is not answered yet. */
const newestOn = (socket: Socket & Internals): ServerResponse | undefined =>
  newestWaiting(socket) ?? socket._httpMessage ?? undefined;

/** Milliseconds that a client may take to close its side. Bytes it has sent meanwhile must not reset the response. */
const LINGER_MS = 500;

const TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const SHUTTING_DOWN = new HttpProblem(503, 'The server is shutting down');

interface Line {
  /** The response that says `Connection: close` to its client. */
  last: ServerResponse | undefined;
  /** Whether `last` would have kept the connection. */
  keeps: boolean;
  /** How many bytes had come when the last request was answered: more are a head that is not complete. */
  bytesRead: number;
  timer: NodeJS.Timeout | undefined;
  isEnding: boolean;
}

/** How long connections are waited for, in milliseconds. */
export interface Patience {
  /** For a next request on a connection that has answered one. */
  readonly idle: number;
  /** For the first request on a connection, or for the rest of a head. */
  readonly begun: number;
}

/**
 * The end of a server's connections, without a request being lost. Every response that is not yet begun says
 * `Connection: close`; where several requests are under way on a connection, that to the last one says it, for no other
 * is answered after it (RFC 9112 §9.6). A connection that waits for a request gets its time: one may be on its way, and
 * closing at once would reset it. Then it is closed in halves, as RFC 9112 §9.6 wants it.
 */
export class Drain {
  readonly #sockets: Iterable<Socket>;
  readonly #lines = new Map<Socket, Line>();
  readonly #answer: RequestListener;
  #patience: Patience;
  #until: number;

  /** `answer` gets the requests that come. */
  constructor(sockets: Iterable<Socket>, answer: RequestListener, patience: Patience) {
    this.#sockets = sockets;
    this.#answer = answer;
    this.#patience = patience;
    this.#until = performance.now() + patience.idle;
    for (const socket of sockets) this.watch(socket);
  }

  watch(socket: Socket): void {
    if (this.#lines.has(socket) || !speaksHttp(socket)) return;
    const bytesRead = hasAnswered(socket) ? socket.bytesRead : 0;
    const line: Line = { last: undefined, keeps: true, bytesRead, timer: undefined, isEnding: false };
    this.#lines.set(socket, line);
    socket.once('close', () => {
      clearTimeout(line.timer);
      this.#lines.delete(socket);
    });
    // Node calls it after a response that said so.
    socket.destroySoon = () => this.#hangUp(socket, line);
    const newest = newestOn(socket);
    if (newest) this.#announceWith(newest, socket, line);
    else this.#wait(socket, line);
  }

  /** Answer a request that has come. It is the last one on its connection, unless others are right behind. */
  admit(raw: IncomingMessage, out: ServerResponse): void {
    const { socket } = raw;
    const line = this.#lines.get(socket);
    if (!line) return this.#answer(raw, out);
    clearTimeout(line.timer);
    if (line.isEnding || this.#hasAnnouncedEnd(line)) return sendShuttingDown(raw, out);
    if (line.last && !line.last.headersSent) line.last.shouldKeepAlive = line.keeps;
    this.#announceWith(out, socket, line);
    // Requests that came with it are parsed by then.
    setImmediate(() => this.#answer(raw, out));
  }

  change(patience: Patience): void {
    this.#patience = patience;
    this.#until = performance.now() + patience.idle;
    for (const [socket, line] of this.#lines) if (!isAnswering(socket)) this.#wait(socket, line);
  }

  /** Whether each connection has announced its end, or speaks HTTP no more. */
  get isQuiet(): boolean {
    for (const [socket, { last, isEnding }] of this.#lines)
      if (!last && !isEnding && speaksHttp(socket)) return false;
    return true;
  }

  /** Close all at once. Gives whether a request was cut off by that. */
  cut(): boolean {
    let isCut = false;
    for (const socket of this.#sockets) {
      // Node has handed one over where it speaks HTTP no more; there may be a response on it nevertheless.
      const isBusy = isAnswering(socket);
      if (!isBusy && !speaksHttp(socket)) continue;
      isCut ||= isBusy;
      socket.destroy();
    }
    return isCut;
  }

  /** Have `out` say that the connection ends. One whose head has been sent cannot: the next one does. */
  #announceWith(out: ServerResponse, socket: Socket, line: Line): void {
    if (!out.headersSent) {
      line.last = out;
      line.keeps = out.shouldKeepAlive;
      out.shouldKeepAlive = false;
    }
    out.once('close', () => {
      line.bytesRead = socket.bytesRead;
      this.#wait(socket, line);
    });
  }

  /** A client that goes on without looking, or a handler that keeps the connection, must not go on for ever. */
  #hasAnnouncedEnd({ last }: Line): boolean {
    if (!last) return false;
    return (last.headersSent && !last.shouldKeepAlive) || performance.now() > this.#until;
  }

  #wait(socket: Socket, line: Line): void {
    if (line.isEnding) return;
    clearTimeout(line.timer);
    const { idle, begun } = this.#patience;
    const first = Math.min(idle, begun);
    this.#wakeIn(
      first,
      socket,
      () => {
        const isIdle = hasAnswered(socket) && socket.bytesRead === line.bytesRead;
        if (isIdle && idle > first)
          this.#wakeIn(idle - first, socket, () => this.#endIdle(socket, line), line);
        else this.#endIdle(socket, line);
      },
      line,
    );
  }

  /** Where it is not answering by then. Data that the system holds already is read first, however long this process was busy. */
  #wakeIn(time: number, socket: Socket, wake: () => void, line: Line): void {
    if (time === Number.POSITIVE_INFINITY) return;
    const look = () => {
      if (!socket.destroyed && speaksHttp(socket) && !isAnswering(socket)) wake();
    };
    line.timer = setTimeout(() => setImmediate(look), time);
  }

  #endIdle(socket: Socket, line: Line): void {
    if (socket.bytesRead > line.bytesRead) socket.write(TIMEOUT_RESPONSE);
    this.#hangUp(socket, line);
  }

  #hangUp(socket: Socket, line: Line): void {
    if (line.isEnding) return;
    line.isEnding = true;
    clearTimeout(line.timer);
    socket.end();
    line.timer = setTimeout(() => socket.destroy(), LINGER_MS);
  }
}

/** Answer a request that came after `Connection: close`: its client has to retry elsewhere, and can, since nothing was done. */
function sendShuttingDown(raw: IncomingMessage, out: ServerResponse): void {
  raw.resume();
  out.writeHead(SHUTTING_DOWN.status, { Connection: 'close', 'Content-Type': 'application/problem+json' });
  out.end(SHUTTING_DOWN.problem);
}
