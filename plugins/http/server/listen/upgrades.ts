import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import { hasBody } from '../../body/read-body.js';
import { endUpgraded } from '../../request/exchange.js';
import { headProblem } from '../../request/head-limits.js';
import { HttpProblem } from '../../request/http-error.js';
import { emitClose } from '../serve/response-end.js';

// A request may offer an upgrade to a protocol that is not supported. Node answers it then, but its parser has stopped: it
// drops the bytes behind the request, and parses later ones as a new request, wherever they belong. So Node is made to
// hand the connection over, which is parsed again from the first byte that Node has not read.

/** Requests that are being answered, whose connection is handed over behind their bodies. */
const answered = new WeakSet<IncomingMessage>();

/** The fields of Node's that are read or set; it does not document them, and has had them since its first versions. */
interface Internals {
  upgrade?: boolean;
  _httpMessage?: ServerResponse | null;
}

/**
 * For `shouldUpgradeCallback`, where nothing handles the upgrade: whether Node hands the connection over at once. Where there is a
 * body, it answers the request as any other, reads the body, and hands over behind that.
 */
function isHandedOver(raw: IncomingMessage & Internals): boolean {
  if (!hasBody(raw)) return true;
  const { push } = raw;
  raw.push = (piece, encoding) => {
    if (piece === null) {
      answered.add(raw);
      // Node reads this when its parser has stopped.
      raw.upgrade = true;
    }
    return push.call(raw, piece, encoding);
  };
  return false;
}

/** Whether a request asks for a WebSocket (RFC 6455 §4.2.1). Any other upgrade is only an offer (RFC 9110 §7.8). */
const isHandshake = (raw: IncomingMessage): boolean =>
  raw.headers.upgrade?.toLowerCase() === 'websocket' && !answered.has(raw);

/**
 * Ignore an upgrade that is not supported (RFC 9110 §7.8), after Node has handed its connection over. The connection is
 * parsed again on `node`, a server of this process's own, from behind the request, or from the request without its offer.
 */
function ignoreUpgrade(node: Server, raw: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Node has removed its own listeners: without one, an error of the connection would end the process.
  const watch = new Watch(socket);
  if (answered.has(raw)) return parseAgain(node, socket, head, watch);
  const problem = headProblem(raw);
  // Without the lines that Node left out it would be another request, and its body might be the next one.
  if (problem !== undefined) return sendProblemOn(raw, socket, problem);
  const lines = [`${raw.method} ${raw.url} HTTP/${raw.httpVersion}`];
  const { rawHeaders } = raw;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!/^upgrade$/i.test(rawHeaders[index] ?? ''))
      lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  // Node reads header fields as Latin-1.
  parseAgain(
    node,
    socket,
    Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]),
    watch,
  );
}

/** Parse `rest` and all that follows it as a new connection, once earlier requests have been answered. */
function parseAgain(node: Server, socket: Duplex & Internals, rest: Buffer, watch: Watch): void {
  const { _httpMessage: before } = socket;
  if (before) {
    watch.begin();
    return void before.once('close', () => parseAgain(node, socket, rest, watch));
  }
  if (socket.destroyed || socket.writableEnded) return;
  const more = watch.end();
  // The timeout of a connection that waits for its next request; one in memory has none.
  (socket as Partial<Socket>).setTimeout?.(0);
  socket.unshift(Buffer.concat([rest, ...more]));
  node.emit('connection', socket);
}

/** The most bytes that may come on a connection before its earlier requests have been answered. */
const MAX_AHEAD_BYTES = 65_536;

/** Stands in for Node on a connection that it has handed over, while a response is still on it. */
class Watch {
  readonly #socket: Duplex & Internals;
  readonly #came: Buffer[] = [];
  #size = 0;
  #isReading = false;

  constructor(socket: Duplex) {
    this.#socket = socket.on('error', this.#ignore);
  }

  begin(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    // Where nothing is read, a client that leaves goes unnoticed.
    this.#socket.on('data', this.#take).on('end', this.#hangUp).on('drain', this.#resumeResponse);
  }

  end(): readonly Buffer[] {
    this.#socket.off('error', this.#ignore).off('data', this.#take);
    this.#socket.off('end', this.#hangUp).off('drain', this.#resumeResponse);
    return this.#came;
  }

  readonly #ignore = (): void => {};

  readonly #take = (piece: Buffer): void => {
    this.#came.push(piece);
    this.#size += piece.length;
    if (this.#size > MAX_AHEAD_BYTES) this.#socket.destroy();
  };

  readonly #resumeResponse = (): void => void this.#socket._httpMessage?.emit('drain');

  /** The client says that it will send nothing more. */
  readonly #hangUp = (): void => void this.#socket.end();
}

/** Called with a request whose connection Node has handed over, and the bytes that Node has read behind the request. */
export type OnHandshake = (raw: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** For protocols that take over connections of an HTTP server (RFC 9110 §7.8), as `ws` does. */
export interface UpgradeServer {
  /** Call `greet` with each WebSocket handshake (RFC 6455 §4.1). Any other upgrade is ignored, and its request answered. */
  onHandshake(greet: OnHandshake): void;
  /** Have routes and layers answer `raw`, as they answer any request, with `out` for their response. */
  route(raw: IncomingMessage, out: ServerResponse): void;
  /**
   * Have `out` answer on a connection that Node has handed over, and close the connection then. Gives false, and cuts the
   * connection, where an earlier response is still on it: no client sends a handshake before it has that.
   */
  answer(socket: Duplex, out: ServerResponse): boolean;
  /** Answer `raw` there with a problem document (RFC 9457), and close the connection. */
  sendProblem(raw: IncomingMessage, socket: Duplex, problem: HttpProblem): void;
  /** A handshake has been accepted (101): for those who observe requests, `raw` has ended. */
  endRequest(raw: IncomingMessage): void;
  /** End a response that Node does not end, as that of an accepted handshake: its scope and its version end with it. */
  emitClose(out: ServerResponse): void;
}

export class Upgrades implements UpgradeServer {
  readonly #node: Server;
  /** Whether connections are this server's, and not lent by another. */
  #isOwn: boolean;
  /** Handshakes that came before any listener answers; undefined once one does. */
  #waiting: Set<Parameters<OnHandshake>> | undefined = new Set();

  constructor(node: Server, isOwn: boolean) {
    this.#node = node;
    this.#isOwn = isOwn;
  }

  /** For `shouldUpgradeCallback`: whether Node hands over the connection of `raw`. */
  takes(raw: IncomingMessage): boolean {
    return (isHandshake(raw) && this.#hasHandshakeListener) || isHandedOver(raw);
  }

  /** Ignore upgrades that are not supported, and hold handshakes until a listener answers requests. */
  watch(): void {
    this.#node.on('upgrade', (...greeting: Parameters<OnHandshake>) => {
      const [raw, socket, head] = greeting;
      const waiting = this.#waiting;
      if (isHandshake(raw) && this.#hasHandshakeListener) return;
      if (!waiting || !isHandshake(raw)) return ignoreUpgrade(this.#node, raw, socket, head);
      socket.on('error', () => {}).once('close', () => waiting.delete(greeting));
      waiting.add(greeting);
    });
  }

  begin(): void {
    for (const greeting of this.#waiting ?? []) setImmediate(() => this.#node.emit('upgrade', ...greeting));
    this.#waiting = undefined;
  }

  /** Treat connections that are handed to `node` as those of a server that listens. */
  own(): void {
    this.#isOwn = true;
    this.watch();
  }

  onHandshake(greet: OnHandshake): void {
    this.#node.on('upgrade', (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!this.#isOwn || isHandshake(raw)) greet(raw, socket, head);
    });
  }

  route(raw: IncomingMessage, out: ServerResponse): void {
    this.#node.emit('request', raw, out);
  }

  answer(socket: Duplex, out: ServerResponse): boolean {
    return answerOn(socket, out);
  }

  sendProblem(raw: IncomingMessage, socket: Duplex, problem: HttpProblem): void {
    sendProblemOn(raw, socket, problem);
  }

  endRequest(raw: IncomingMessage): void {
    endUpgraded(raw);
  }

  emitClose(out: ServerResponse): void {
    emitClose(out);
  }

  get #hasHandshakeListener(): boolean {
    return this.#node.listenerCount('upgrade') > 1;
  }
}

/**
 * Have `out` answer on a connection that Node has handed over with `upgrade`, and close the connection then. Gives false,
 * and cuts the connection, where an earlier response is still on it: no client sends a handshake before it has that.
 */
function answerOn(socket: Duplex, out: ServerResponse): boolean {
  if (!assign(out, socket)) return false;
  // Node emits its `drain` no more: a large response, or one without an end, would wait for it for ever.
  const drained = (): void => void out.emit('drain');
  socket.on('drain', drained);
  out.once('close', () => socket.off('drain', drained)).once('finish', () => hangUp(socket));
  return true;
}

function assign(out: ServerResponse, socket: Duplex): boolean {
  try {
    out.assignSocket(socket as Socket);
    return true;
  } catch {
    socket.destroy();
    return false;
  }
}

/** Answer a request there with a problem document (RFC 9457), and close the connection. */
export function sendProblemOn(
  raw: IncomingMessage,
  socket: Duplex,
  { status, problem, headers }: HttpProblem,
): void {
  const out = new ServerResponse(raw);
  // Written past it, the problem would be read as the response to the request before.
  if (!answerOn(socket, out)) return;
  out.writeHead(status, {
    ...headers,
    Connection: 'close',
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(problem),
  });
  out.end(problem);
}

/** For `connect` of a server of this process's own: where nothing listens, Node closes the connection without a response. */
export function rejectConnect(raw: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  sendProblemOn(raw, socket, new HttpProblem(501, 'This is not a proxy: CONNECT is not answered here'));
}

/** Node does not watch the socket any more: a client that keeps its side open would keep the process from ending. */
const hangUp = (socket: Duplex): void => void socket.end(() => socket.destroy());
