import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { WebSocketServer } from 'ws';
import type { OptionValues } from '../../kernel/index.js';
import type { UpgradeServer } from '../http/internal.js';
import type { wsOptions } from './options.js';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * The response to a handshake. It is routed like any other response, and may be an error. An
 * accepted handshake stays open for as long as the code that accepted it serves the connection, and
 * so do the scope and the version of the response.
 */
export class Handshake extends ServerResponse {
  readonly #upgrades: UpgradeServer;
  readonly #onRefused: (() => void) | undefined;

  /** `onRefused` runs if new code rejects an existing connection, when no response can be sent. */
  constructor(raw: IncomingMessage, upgrades: UpgradeServer, onRefused?: () => void) {
    super(raw);
    this.shouldKeepAlive = false;
    this.#upgrades = upgrades;
    this.#onRefused = onRefused;
  }

  get isRenewal(): boolean {
    return this.#onRefused !== undefined;
  }

  override writeHead(status: number, message?: string | Headers, headers?: Headers): this {
    this.#onRefused?.();
    return typeof message === 'string'
      ? super.writeHead(status, message, headers)
      : super.writeHead(status, message ?? headers);
  }

  /** End the response for code that waits for its end, without sending anything. */
  settle(): void {
    this.#upgrades.emitClose(this);
  }
}

/** How long a client may take to answer a closing frame, before it is disconnected. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The maximum frames or network packets of one message: 64 bytes each with the default `maxPayload`. */
export const MAX_FRAGMENTS = 16_384;

/**
 * The WebSocket protocol, for connections that this server has accepted. `headers` returns the
 * headers of the current handshake's response, and `protocols` the subprotocols of its handler.
 */
export function protocolOf(
  { maxPayload, compress }: OptionValues<typeof wsOptions>,
  headers: () => readonly string[],
  protocols: () => readonly string[],
): WebSocketServer {
  const options = { noServer: true, clientTracking: false, closeTimeout: CLOSE_TIMEOUT_MS };
  const server = new WebSocketServer({
    ...options,
    maxPayload,
    // Each fragment costs about a hundred bytes in addition to its payload, which has at least one byte.
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: Math.max(MAX_FRAGMENTS, Math.ceil(maxPayload / 400)),
    perMessageDeflate: compress,
    handleProtocols: (offered) => protocols().find((one) => offered.has(one)) ?? false,
  });
  return server.on('headers', (lines) => {
    const given = headers();
    for (let index = 0; index < given.length; index += 2) lines.push(`${given[index]}: ${given[index + 1]}`);
  });
}
