import type { ServerResponse } from 'node:http';
import type { Project, RuntimeCtx } from '../../kernel/index.js';
import type { AnyDefinition, HttpRequest, HttpResponse } from '../http/index.js';
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

/** Makes the connection of a handshake, by the response to the handshake. */
export const upgrades = new WeakMap<ServerResponse, (entry: Entry) => Promise<void>>();
