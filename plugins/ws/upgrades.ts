import type { ServerResponse } from 'node:http';
import { coded, type Project } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import { type Handler, HttpProblem, type HttpRequest, type HttpResponse } from '../http/index.js';
import type { AnyDefinition } from '../http/internal.js';
import type { SocketHandler } from './socket.js';

/** A handshake that has passed all layers and reached its handler. */
export interface Entry {
  readonly handler: SocketHandler;
  readonly definition?: AnyDefinition | undefined;
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly ctx: RuntimeCtx;
  readonly project: Project;
}

/** Accepts a handshake: one function for each response to a handshake in progress. */
export const upgrades = new WeakMap<ServerResponse, (entry: Entry) => Promise<void>>();

/** A Sec-WebSocket-Key: 16 bytes in Base64 (RFC 6455 §4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Throw for requests that are not a handshake, and for handshakes from pages of foreign origins
 * (RFC 6455 §10.2): a browser lets any page connect to any server and sends cookies along.
 */
export const withOriginCheck =
  (handler: Handler, origins: readonly string[]): Handler =>
  (req, res, ctx) => {
    const { headers } = req;
    const isHandshake = upgrades.has(res.raw);
    // A refused handshake ends its connection, which the response has to announce (RFC 9110 §7.8).
    const upgrade = { Upgrade: 'websocket', Connection: isHandshake ? 'Upgrade, close' : 'Upgrade' };
    if (headers.upgrade?.toLowerCase() !== 'websocket')
      throw new HttpProblem(426, 'Connect to this address with a WebSocket', undefined, upgrade).on(res);
    if (headers['sec-websocket-version'] !== '13')
      throw new HttpProblem(426, 'Only version 13 of the WebSocket protocol is supported', undefined, {
        ...upgrade,
        'Sec-WebSocket-Version': '13',
      }).on(res);
    if (!KEY.test(headers['sec-websocket-key'] ?? ''))
      throw new HttpProblem(400, 'The Sec-WebSocket-Key is missing or invalid');
    const { origin } = headers;
    if (origin !== undefined && !isAllowed(origin, req.url.host, origins))
      throw new HttpProblem(403, 'Pages of this origin may not connect');
    if (!isHandshake)
      throw coded(
        'FWK503',
        new Error(
          'the handshake did not reach the app. Pass the "upgrade" events of your server to app.upgrade',
        ),
      );
    return handler(req, res, ctx);
  };

const isAllowed = (origin: string, host: string, origins: readonly string[]): boolean =>
  origins.includes('*') ||
  origins.includes(origin) ||
  (URL.canParse(origin) && new URL(origin).host === host);
