import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isThenable, type Logger, type Project } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import type { Exchange, RequestObserver } from '../http/index.js';
import { arrivalOf } from '../http/internal.js';
import { AccessFields, AccessLine, logAccess } from './access-line.js';
import type { AccessOptions } from './options.js';
import { type IsSecret, redactedQuery } from './redaction.js';

/** Routes that are requested every few seconds and are unrelated to visitors. */
const UNLOGGED_KIND = 'health';
/** The status of a request whose client disconnected before the response began, as nginx logs it. */
const CLIENT_GONE = 499;
/** The status of an accepted handshake. */
const SWITCHING = 101;
/** Maximum length of a logged path, `User-Agent` and `Referer`, in characters. */
const MAX_TEXT = 2_000;

/** Requests whose WebSocket is still open, each with the function that logs the end of the socket. */
const opened = new WeakMap<IncomingMessage, (duration: number, more: object) => void>();

interface ClosedSocket {
  readonly raw: IncomingMessage;
  readonly duration: number;
  readonly received: number;
  readonly sent: number;
  readonly closing?: { readonly code?: number };
}

export function accessLog({ logger }: Project, isSecret: IsSecret, { skip }: AccessOptions): RequestObserver {
  const isSkipped = skip && skipper(skip, logger);
  const write = (
    exchange: Exchange,
    doing: string,
    bytes: number | undefined,
    duration: number,
    more?: object,
  ): void => {
    const { notes, status = CLIENT_GONE } = exchange;
    const { 'user-agent': agent, referer } = exchange.raw.headers;
    const path = shownPath(exchange.target, isSecret);
    const from = referer && shownPath(referer, isSecret);
    const fields = new AccessLine(exchange, path, agent && cut(agent), from, status, bytes, duration);
    if (more !== undefined || notes !== undefined) Object.assign(fields, more, notes);
    if (isSkipped?.(fields)) return;
    logAccess(logger, fields, `${fields.method} ${path} ${doing}${status}`);
  };
  return (exchange) => {
    // The worker that accepted an arrived socket has logged its opening, but this one logs its end.
    const hasArrived = arrivalOf(exchange.raw) !== undefined;
    if (exchange.isInternal && !hasArrived) return undefined;
    const sent = new SentBytes(exchange.out);
    return () => {
      const { raw, route, status, duration } = exchange;
      const bytes = sent.end();
      if (route?.kind === UNLOGGED_KIND) return;
      if (status !== SWITCHING) return write(exchange, '', bytes, duration);
      opened.set(raw, (lasted, more) => write(exchange, 'closed ', undefined, lasted, more));
      if (!hasArrived) write(exchange, 'opened ', undefined, duration);
    };
  };
}

/** Whether a project's own function skips a line. Its errors are logged, and the line is written. */
function skipper(skip: (line: AccessLine) => unknown, logger: Logger): (line: AccessLine) => boolean {
  const fail = (thrown: unknown): void => logSafely(logger, 'error', 'log.access.skip failed', thrown);
  return (line) => {
    try {
      const answer = skip(line);
      if (isThenable(answer)) Promise.resolve(answer).catch(fail);
      return answer === true;
    } catch (thrown) {
      fail(thrown);
      return false;
    }
  };
}

/** Log the end of each socket whose opening was logged. Returns a function that stops it. */
export function logClosedSockets(): () => void {
  const write = (message: unknown): void => {
    const { raw, duration, received, sent, closing } = message as ClosedSocket;
    const how = opened.get(raw);
    // The previous version may be listening, too.
    opened.delete(raw);
    // Without a code, another worker continues the socket, and logs its end.
    if (closing) how?.(duration, { received, sent, closeCode: closing.code });
  };
  subscribe('fwk.socket.close', write);
  return () => void unsubscribe('fwk.socket.close', write);
}

function shownPath(target: string, isSecret: IsSecret): string {
  const mark = target.indexOf('?');
  if (mark === -1) return cut(target);
  return cut(`${target.slice(0, mark)}?${redactedQuery(target.slice(mark + 1), isSecret)}`);
}

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);

/** The status codes with which Node itself answers, by the error code of its parser; 400 for all others. */
const STATUSES: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};
const BAD_REQUEST = [400, 'Bad Request'] as const;

/** A socket in Node's server, with its current response. */
interface Serving extends Duplex {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Write requests that Node rejects before they reach any handler to the access log. A listener for
 * these errors has to answer them, so this function responds like Node does. Returns a function
 * that stops it.
 */
export function logParserErrors(server: Server, logger: Logger): () => void {
  const refuse = (failure: NodeJS.ErrnoException, socket: Serving): void => {
    const { code = '' } = failure;
    // There was no request: the connection broke, or was opened in advance.
    const [status, title] = (Object.hasOwn(STATUSES, code) ? STATUSES[code] : undefined) ?? BAD_REQUEST;
    const isAnswered =
      server.listeners('clientError')[0] !== refuse || socket._httpMessage?.headersSent === true;
    if (code !== 'ECONNRESET' && code !== 'EPIPE') {
      // A client disconnected in the middle of a body: the line of its request reports this.
      const hasLine = code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage;
      if (!hasLine) {
        const { remoteAddress } = socket as Partial<Socket>;
        const fields = new AccessFields({ status, ip: remoteAddress, reason: code });
        logAccess(logger, fields, `refused ${status} ${code}`);
      }
      if (socket.writable && !isAnswered)
        socket.write(`HTTP/1.1 ${status} ${title}\r\nConnection: close\r\n\r\n`);
    }
    if (server.listeners('clientError')[0] === refuse) socket.destroy();
  };
  server.on('clientError', refuse);
  return () => void server.off('clientError', refuse);
}

/**
 * Counts the bytes of one response's body on the connection, with two reads of the connection's
 * counter. The count is independent of how the bytes were written; it includes the content coding
 * and the framing of chunks, like nginx's `$body_bytes_sent`. Create it when the request begins.
 */
class SentBytes {
  readonly #out: ServerResponse & Internals;
  readonly #had100: boolean;
  #from: number | undefined;
  #to: number | undefined;

  constructor(out: ServerResponse & Internals) {
    this.#out = out;
    this.#had100 = out._sent100 === true;
    if (out.socket !== null) this.#begin(out.socket);
    // Other responses precede it on the connection.
    else out.once('socket', (socket: Socket) => this.#begin(socket));
  }

  /** The bytes after the response has ended; undefined if nothing counts them, as in memory. Call once. */
  end(): number | undefined {
    const socket: SocketWithCounter = this.#out.req.socket;
    // A connection lives for a long time, and must not keep this object alive.
    if (socket[CURRENT] === this) socket[CURRENT] = undefined;
    const to = this.#to ?? socket.bytesWritten;
    const head = this.#out._header;
    if (head === undefined || to === undefined) return undefined;
    // Nothing was sent: the response was still queued, or its client had already disconnected.
    if (head === null || this.#from === undefined) return 0;
    const informational = this.#out._sent100 === true && !this.#had100 ? CONTINUE_BYTES : 0;
    return Math.max(0, to - this.#from - informational - head.length);
  }

  #begin(socket: SocketWithCounter): void {
    this.#from = socket.bytesWritten - (arrivalOf(this.#out.req)?.sent ?? 0);
    const before = socket[CURRENT];
    // The event for the previous response's end may arrive after this response was written.
    if (before) before.#to ??= this.#from;
    socket[CURRENT] = this;
  }
}

const CONTINUE_BYTES = 'HTTP/1.1 100 Continue\r\n\r\n'.length;

/** The counter of the response that is currently sent on a connection. */
const CURRENT = Symbol('fwkit.sent');

/** The internal fields of Node's responses that are read. A head has one byte per character. */
interface Internals {
  readonly _header?: string | null;
  readonly _sent100?: boolean;
}

interface SocketWithCounter extends Socket {
  [CURRENT]?: SentBytes | undefined;
}
