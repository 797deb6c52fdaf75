import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from '../../body/read-body.js';
import { headProblem } from '../../request/head-limits.js';
import { sendProblemOn } from './upgrade.js';

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
export function isHandedOver(raw: IncomingMessage & Internals): boolean {
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
export const isHandshake = (raw: IncomingMessage): boolean =>
  raw.headers.upgrade?.toLowerCase() === 'websocket' && !answered.has(raw);

/**
 * Ignore an upgrade that is not supported (RFC 9110 §7.8), after Node has handed its connection over. The connection is
 * parsed again on `node`, a server of this process's own, from behind the request, or from the request without its offer.
 */
export function ignoreUpgrade(node: Server, raw: IncomingMessage, socket: Duplex, head: Buffer): void {
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

  /** Stop, and return the bytes that have come meanwhile. */
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
