import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { UpgradeServer } from '../http/index.js';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * The response to a handshake: routed, and refused, as any other. One that is accepted stays open as long as the
 * connection is served by the code that accepted it, and with it all that ends with a response: scope and version.
 */
export class Handshake extends ServerResponse {
  readonly #upgrades: UpgradeServer;
  readonly #onRefused: (() => void) | undefined;

  /** `onRefused` stands for the wire where there is none: the connection is there already, and new code refuses it. */
  constructor(raw: IncomingMessage, upgrades: UpgradeServer, onRefused?: () => void) {
    super(raw);
    this.shouldKeepAlive = false;
    this.#upgrades = upgrades;
    this.#onRefused = onRefused;
  }

  /** Whether a connection that is there is handed to other code. */
  get isRenewal(): boolean {
    return this.#onRefused !== undefined;
  }

  override writeHead(status: number, message?: string | Headers, headers?: Headers): this {
    this.#onRefused?.();
    return typeof message === 'string'
      ? super.writeHead(status, message, headers)
      : super.writeHead(status, message ?? headers);
  }

  /** Done: what waits for the end of the response goes on. */
  settle(): void {
    this.#upgrades.emitClose(this);
  }
}
