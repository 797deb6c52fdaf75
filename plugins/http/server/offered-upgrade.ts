import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from '../body/read-body.js';
import { headProblem } from '../request/head-limits.js';
import { refuseOn } from './upgrade.js';

// A request may offer another protocol, and nobody here speaks it. Node answers it then, but its parser has stopped: it drops
// what has come behind the request, and takes what comes next for a new one, whatever it is in. So Node is told that the
// offer is taken, hands the connection over, and that begins anew with what Node has not read.

/** Requests that are being answered, and whose connection is handed over behind their bodies. */
const answered = new WeakSet<IncomingMessage>();

/** The fields of Node's that are read or set; it does not document them, and has had them since its first versions. */
interface Internals {
  upgrade?: boolean;
  _httpMessage?: ServerResponse | null;
}

/**
 * For `shouldUpgradeCallback`, where nobody takes the offer: whether Node hands the connection over at once. Where there is a
 * body, it answers the request as any other, reads the body, and hands over behind that.
 */
export function isHandedOver(raw: IncomingMessage & Internals): boolean {
  if (!hasBody(raw)) return true;
  const { push } = raw;
  raw.push = (piece, encoding) => {
    if (piece === null) {
      answered.add(raw);
      // What Node looks at when its parser has stopped.
      raw.upgrade = true;
    }
    return push.call(raw, piece, encoding);
  };
  return false;
}

/** Whether it is a WebSocket that a request asks for (RFC 6455 §4.2.1). Any other upgrade it only offers. */
export const isHandshake = (raw: IncomingMessage): boolean =>
  raw.headers.upgrade?.toLowerCase() === 'websocket' && !answered.has(raw);

/**
 * Ignore an upgrade that nobody here speaks (RFC 9110 §7.8), after Node has handed its connection over: that begins anew on
 * `node`, a server of one's own, with what is behind the request, or with the request as if it had offered nothing.
 */
export function ignoreUpgrade(node: Server, raw: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Node has taken its own listeners away: without one, a connection that breaks would end the process.
  const watch = new Watch(socket);
  if (answered.has(raw)) return goOn(node, socket, head, watch);
  const refusal = headProblem(raw);
  // Without the lines that Node left out it would be another request, and its body might be the next one.
  if (refusal !== undefined) return refuseOn(raw, socket, refusal);
  const lines = [`${raw.method} ${raw.url} HTTP/${raw.httpVersion}`];
  const { rawHeaders } = raw;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!/^upgrade$/i.test(rawHeaders[index] ?? ''))
      lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  // Node reads header fields as Latin-1.
  goOn(node, socket, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]), watch);
}

/** Begin anew with `rest` and what comes behind it, once what came before has been answered. */
function goOn(node: Server, socket: Duplex & Internals, rest: Buffer, watch: Watch): void {
  const { _httpMessage: before } = socket;
  if (before) {
    watch.begin();
    return void before.once('close', () => goOn(node, socket, rest, watch));
  }
  if (socket.destroyed || socket.writableEnded) return;
  const more = watch.end();
  // It waits for a next request no more.
  (socket as Socket).setTimeout(0);
  socket.unshift(Buffer.concat([rest, ...more]));
  node.emit('connection', socket);
}

/** The most bytes that may come on a connection before what came first has been answered. */
const MAX_AHEAD_BYTES = 65_536;

/** Does what Node does no more for a connection that it has handed over, while a response is still on it. */
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
    // Unread, nobody would hear of a client that leaves.
    this.#socket.on('data', this.#take).on('end', this.#hangUp).on('drain', this.#goOn);
  }

  /** Gives what has come meanwhile. */
  end(): readonly Buffer[] {
    this.#socket.off('error', this.#ignore).off('data', this.#take);
    this.#socket.off('end', this.#hangUp).off('drain', this.#goOn);
    return this.#came;
  }

  readonly #ignore = (): void => {};

  readonly #take = (piece: Buffer): void => {
    this.#came.push(piece);
    this.#size += piece.length;
    if (this.#size > MAX_AHEAD_BYTES) this.#socket.destroy();
  };

  readonly #goOn = (): void => void this.#socket._httpMessage?.emit('drain');

  /** The client says that it will send nothing more. */
  readonly #hangUp = (): void => void this.#socket.end();
}
