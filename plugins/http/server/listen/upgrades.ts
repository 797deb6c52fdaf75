import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import { endUpgraded } from '../../request/exchange.js';
import type { HttpProblem } from '../../request/http-error.js';
import { emitClose } from '../serve/response-end.js';
import { ignoreUpgrade, isHandedOver, isHandshake } from './offered-upgrade.js';
import { answerOn, sendProblemOn } from './upgrade.js';

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

/** The upgrades of one server. */
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

  /** A listener answers from now on: handshakes that have waited go on. */
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

  /** Whether a listener beside that of `watch` takes handshakes. */
  get #hasHandshakeListener(): boolean {
    return this.#node.listenerCount('upgrade') > 1;
  }
}
