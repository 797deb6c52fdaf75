import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import { hasBody } from '../../body/read-body.js';
import { sendRejection } from '../../errors/send-rejection.js';
import { arrivalOf, endUpgraded } from '../../request/exchange.js';
import { headProblem } from '../../request/head-limits.js';
import { HttpProblem } from '../../request/http-error.js';
import { requestHead } from '../drain/handover.js';
import { emitClose } from '../serve/response-end.js';

// A request may offer an upgrade to an unsupported protocol. Node then answers it, but its parser has stopped: it drops the
// bytes after the request and parses later bytes as a new request, even if they belong to a body. So Node is made to hand
// over the connection, which is parsed again from the first byte that Node has not read.

/** Requests that are being answered, whose connection is handed over after their body. */
const answered = new WeakSet<IncomingMessage>();

/** Undocumented fields of Node that are read or set. They have existed since its first versions. */
interface Internals {
  upgrade?: boolean;
  _httpMessage?: ServerResponse | null;
}

/**
 * For `shouldUpgradeCallback` if nothing handles the upgrade: whether Node hands over the connection at once. If there is a
 * body, Node answers the request normally, reads the body, and hands over the connection after it.
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

/** Whether a request is a WebSocket handshake (RFC 6455 §4.2.1). Any other upgrade may be ignored (RFC 9110 §7.8). */
const isHandshake = (raw: IncomingMessage): boolean =>
  raw.headers.upgrade?.toLowerCase() === 'websocket' && !answered.has(raw);

/**
 * Ignore an unsupported upgrade (RFC 9110 §7.8) after Node has handed over the connection. The connection is parsed again on
 * `node`, a server that this process owns, from the byte after the request, or from the request without its Upgrade header.
 */
function ignoreUpgrade(node: Server, raw: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Node has removed its own listeners. Without one, an error of the connection would end the process.
  const watch = new Watch(socket);
  if (answered.has(raw)) return parseAgain(node, socket, head, watch);
  const problem = headProblem(raw);
  // Without the header lines that Node dropped, the request would be different, and its body might be taken for the next request.
  if (problem !== undefined) return sendProblemOn(raw, socket, problem);
  // Node reads header fields as Latin-1.
  const before = Buffer.from(requestHead(raw, { upgrade: undefined }), 'latin1');
  parseAgain(node, socket, Buffer.concat([before, head]), watch);
}

/** Parse `rest` and everything after it as a new connection, once earlier requests have been answered. */
function parseAgain(node: Server, socket: Duplex & Internals, rest: Buffer, watch: Watch): void {
  const { _httpMessage: before } = socket;
  if (before) {
    watch.begin();
    return void before.once('close', () => parseAgain(node, socket, rest, watch));
  }
  if (socket.destroyed || socket.writableEnded) return;
  const more = watch.end();
  // Remove the keep-alive timeout. In-memory connections have none.
  (socket as Partial<Socket>).setTimeout?.(0);
  socket.unshift(Buffer.concat([rest, ...more]));
  node.emit('connection', socket);
}

/** The most bytes that may arrive on a connection before its earlier requests have been answered. */
const MAX_AHEAD_BYTES = 65_536;

/** Replaces Node on a connection that it has handed over while a response is still in progress. */
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
    // Unless the connection is read, a client that disconnects goes unnoticed.
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

  /** The client has ended its side of the connection. */
  readonly #hangUp = (): void => void this.#socket.end();
}

/** Receives a request whose connection Node has handed over, and the bytes that Node has read after the request. */
export type OnHandshake = (raw: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Decides about a request before anything else. Returns the problem to reject it with, or undefined. */
export type Rejection = (raw: IncomingMessage) => HttpProblem | undefined;

/** For protocols that take over connections of an HTTP server (RFC 9110 §7.8), such as `ws`. */
export type UpgradeServer = Pick<
  Upgrades,
  'onHandshake' | 'route' | 'answer' | 'sendProblem' | 'endRequest' | 'emitClose'
>;

export class Upgrades {
  readonly #node: Server;
  /** Whether the connections belong to this server and not to another one that passes them on. */
  #isOwn: boolean;
  /** Handshakes that arrived before the first listener was set; undefined afterwards. */
  #waiting: Set<Parameters<OnHandshake>> | undefined = new Set();
  reject: Rejection | undefined;

  constructor(node: Server, isOwn: boolean) {
    this.#node = node;
    this.#isOwn = isOwn;
  }

  /** For `shouldUpgradeCallback`: whether Node hands over the connection of `raw`. */
  takes(raw: IncomingMessage): boolean {
    return (isHandshake(raw) && this.#hasHandshakeListener) || isHandedOver(raw);
  }

  /** Ignore unsupported upgrades, and hold handshakes until a listener is set. */
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

  /** Treat connections that `node` is given like connections of a listening server. */
  own(): void {
    this.#isOwn = true;
    this.watch();
  }

  /** Call `greet` for each WebSocket handshake (RFC 6455 §4.1). Any other upgrade is ignored, and its request is answered. */
  onHandshake(greet: OnHandshake): void {
    this.#node.on('upgrade', (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (this.#isOwn && !isHandshake(raw)) return;
      const problem = arrivalOf(raw) ? undefined : this.reject?.(raw);
      if (problem) this.sendProblem(raw, socket, problem);
      else greet(raw, socket, head);
    });
  }

  /** Answer `raw` with routes and layers like any other request, with `out` as the response. */
  route(raw: IncomingMessage, out: ServerResponse): void {
    this.#node.emit('request', raw, out);
  }

  /**
   * Send `out` on a connection that Node has handed over, then close the connection. Returns false and closes the connection
   * if an earlier response is still in progress: clients don't send a handshake before they have received it.
   */
  readonly answer = answerOn;

  /** Answer `raw` on its connection with a problem document (RFC 9457), then close the connection. */
  readonly sendProblem = sendProblemOn;

  /** A handshake has been accepted (101): end `raw` for observers of requests. */
  readonly endRequest = endUpgraded;

  /** Emit `close` for a response that Node doesn't end: it ends the scope, and releases the version. */
  readonly emitClose = emitClose;

  get #hasHandshakeListener(): boolean {
    return this.#node.listenerCount('upgrade') > 1;
  }
}

function answerOn(socket: Duplex, out: ServerResponse): boolean {
  if (!assign(out, socket)) return false;
  // Node no longer forwards `drain`: a large or endless response would wait for it forever.
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

function sendProblemOn(raw: IncomingMessage, socket: Duplex, problem: HttpProblem): void {
  const out = new ServerResponse(raw);
  out.shouldKeepAlive = false;
  // Otherwise, the client would take the problem for the response to its previous request.
  if (answerOn(socket, out)) sendRejection(raw, out, problem);
}

/** For `connect` events of a server that this process owns. Without a listener, Node closes the connection without a response. */
export function rejectConnect(raw: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  sendProblemOn(
    raw,
    socket,
    new HttpProblem(501, 'CONNECT is not supported, because this server is not a proxy'),
  );
}

/** Node no longer watches the socket: a client that keeps its side open would keep the process alive. */
const hangUp = (socket: Duplex): void => void socket.end(() => socket.destroy());
