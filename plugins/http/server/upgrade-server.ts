import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpProblem } from '../errors/errors.js';
import { ignoreUpgrade, isHandedOver, isHandshake } from './offered-upgrade.js';
import { emitClose } from './response-end.js';
import { answerOn, refuseOn } from './upgrade.js';

/** Called with a request whose connection Node has handed over, and what Node has read of that behind the request. */
export type OnHandshake = (raw: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** What a protocol needs of the server whose connections it takes over (RFC 9110 §7.8), as `ws` does. */
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
  /** Refuse `raw` there with a problem document (RFC 9457), and close the connection. */
  refuse(raw: IncomingMessage, socket: Duplex, problem: HttpProblem): void;
  /** End a response that Node does not end, as that of an accepted handshake: its scope and its version end with it. */
  emitClose(out: ServerResponse): void;
}

/** The upgrades of one server. */
export class Upgrades implements UpgradeServer {
  readonly #node: Server;
  /** Whether connections are this server's, and not lent by another. */
  readonly #isOwn: boolean;
  /** Handshakes that came before anything answers; undefined once something does. */
  #waiting: Set<Parameters<OnHandshake>> | undefined = new Set();

  constructor(node: Server, isOwn: boolean) {
    this.#node = node;
    this.#isOwn = isOwn;
  }

  /** For `shouldUpgradeCallback`: whether Node hands over the connection of `raw`. */
  takes(raw: IncomingMessage): boolean {
    return (isHandshake(raw) && this.#isSpoken) || isHandedOver(raw);
  }

  /** Ignore what nobody here speaks, and have handshakes wait until something answers. */
  watch(): void {
    this.#node.on('upgrade', (...greeting: Parameters<OnHandshake>) => {
      const [raw, socket, head] = greeting;
      const waiting = this.#waiting;
      if (isHandshake(raw) && this.#isSpoken) return;
      if (!waiting || !isHandshake(raw)) return ignoreUpgrade(this.#node, raw, socket, head);
      socket.on('error', () => {}).once('close', () => waiting.delete(greeting));
      waiting.add(greeting);
    });
  }

  /** Something answers: what has waited for that goes on. */
  begin(): void {
    for (const greeting of this.#waiting ?? []) setImmediate(() => this.#node.emit('upgrade', ...greeting));
    this.#waiting = undefined;
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

  refuse(raw: IncomingMessage, socket: Duplex, problem: HttpProblem): void {
    refuseOn(raw, socket, problem);
  }

  emitClose(out: ServerResponse): void {
    emitClose(out);
  }

  /** Whether a listener beside that of `watch` takes handshakes. */
  get #isSpoken(): boolean {
    return this.#node.listenerCount('upgrade') > 1;
  }
}
