import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { UpgradeServer } from '../http/index.js';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * The response to a handshake. It is routed like any other, and may be an error. One that is accepted stays open as
 * long as the connection is served by the code that accepted it, and so do the scope and the version of the response.
 */
export class Handshake extends ServerResponse {
  readonly #upgrades: UpgradeServer;
  readonly #onRefused: (() => void) | undefined;

  /** `onRefused` runs where new code does not accept a connection that exists: then no response can be sent. */
  constructor(raw: IncomingMessage, upgrades: UpgradeServer, onRefused?: () => void) {
    super(raw);
    this.shouldKeepAlive = false;
    this.#upgrades = upgrades;
    this.#onRefused = onRefused;
  }

  /** Whether it moves an existing connection to newer code. */
  get isRenewal(): boolean {
    return this.#onRefused !== undefined;
  }

  override writeHead(status: number, message?: string | Headers, headers?: Headers): this {
    this.#onRefused?.();
    return typeof message === 'string'
      ? super.writeHead(status, message, headers)
      : super.writeHead(status, message ?? headers);
  }

  /** End the response for what waits for its end, without sending anything. */
  settle(): void {
    this.#upgrades.emitClose(this);
  }
}
