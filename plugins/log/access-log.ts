import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isThenable, type Logger, type Project } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import type { Exchange, RequestObserver } from '../http/index.js';
import { AccessFields, type AccessLine, logAccess, RequestFields } from './access-line.js';
import type { AccessOptions } from './options.js';
import { type IsSecret, redactedQuery } from './redaction.js';

/** Routes that are asked every few seconds, and say nothing of visitors. */
const UNSEEN_KIND = 'health';
/** The status of a request whose client went away before a response was begun, as nginx logs it. */
const CLIENT_GONE = 499;
/** The status of a handshake that was accepted. */
const SWITCHING = 101;
/** The longest path, `User-Agent` and `Referer` that are written, in characters. */
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
    const fields = new RequestFields(exchange, path, agent && cut(agent), from, status, bytes, duration);
    if (more !== undefined || notes !== undefined) Object.assign(fields, more, notes);
    if (isSkipped?.(fields)) return;
    logAccess(logger, fields, `${fields.method} ${path} ${doing}${status}`);
  };
  return (exchange) => {
    if (exchange.isInside) return undefined;
    const sent = new SentBytes(exchange.out);
    return () => {
      const { raw, route, status, duration } = exchange;
      const bytes = sent.end();
      if (route?.kind === UNSEEN_KIND) return;
      if (status !== SWITCHING) return write(exchange, '', bytes, duration);
      opened.set(raw, (lasted, more) => write(exchange, 'closed ', undefined, lasted, more));
      write(exchange, 'opened ', undefined, duration);
    };
  };
}

/** Whether a project's own function has a line left out. What that throws, or rejects with, is logged, and the line written. */
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

/** Have a line written when a socket ends whose opening was. Returns a function that stops it. */
export function logClosedSockets(): () => void {
  const write = (message: unknown): void => {
    const { raw, duration, received, sent, closing } = message as ClosedSocket;
    const how = opened.get(raw);
    // The version before may listen, too.
    opened.delete(raw);
    how?.(duration, { received, sent, closeCode: closing?.code });
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

/** What Node answers by itself, by the code of the error of its parser; 400 to all others. */
const STATUSES: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};
const BAD_REQUEST = [400, 'Bad Request'] as const;

/** A socket as Node's server keeps it, with the response that it is at. */
interface Serving extends Duplex {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Have requests that Node refuses before anybody sees them written to the access log. Who listens for them has to answer
 * them, so this does what Node does. Returns a function that stops it.
 */
export function logParserErrors(server: Server, logger: Logger): () => void {
  const refuse = (failure: NodeJS.ErrnoException, socket: Serving): void => {
    const { code = '' } = failure;
    // Nothing was asked: a connection that has broken, or one that was opened for later.
    const [status, title] = (Object.hasOwn(STATUSES, code) ? STATUSES[code] : undefined) ?? BAD_REQUEST;
    const isAnswered =
      server.listeners('clientError')[0] !== refuse || socket._httpMessage?.headersSent === true;
    if (code !== 'ECONNRESET' && code !== 'EPIPE') {
      // A client that left in the middle of a body: the line of its request says so.
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
 * Counts the bytes of one response's body as the connection does, which costs two reads of its counter: whatever wrote them,
 * coded, with the framing of chunks, as nginx counts `$body_bytes_sent`. Make it when the request begins.
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
    // Others are before it on the connection.
    else out.once('socket', (socket: Socket) => this.#begin(socket));
  }

  /** How many there are, when it has ended; undefined where nobody counts: the connection is in memory, say. Call it once. */
  end(): number | undefined {
    const socket: Counted = this.#out.req.socket;
    // A connection is kept for long, and what was said on it is not.
    if (socket[CURRENT] === this) socket[CURRENT] = undefined;
    const to = this.#to ?? socket.bytesWritten;
    const head = this.#out._header;
    if (head === undefined || to === undefined) return undefined;
    // Nothing was sent: its turn has not come, or its client has gone before.
    if (head === null || this.#from === undefined) return 0;
    const informational = this.#out._sent100 === true && !this.#had100 ? CONTINUE_BYTES : 0;
    return Math.max(0, to - this.#from - informational - head.length);
  }

  #begin(socket: Counted): void {
    this.#from = socket.bytesWritten;
    const before = socket[CURRENT];
    // Its end is heard of when this one may have been written.
    if (before) before.#to ??= this.#from;
    socket[CURRENT] = this;
  }
}

const CONTINUE_BYTES = 'HTTP/1.1 100 Continue\r\n\r\n'.length;

/** The count of the response whose turn it is on a connection. */
const CURRENT = Symbol('fwkit.sent');

/** The fields of Node's responses that are read. A head is one byte for each character. */
interface Internals {
  readonly _header?: string | null;
  readonly _sent100?: boolean;
}

interface Counted extends Socket {
  [CURRENT]?: SentBytes | undefined;
}
