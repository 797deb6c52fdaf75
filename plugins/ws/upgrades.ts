import type { ServerResponse } from 'node:http';
import type { Project, RuntimeCtx } from '../../kernel/index.js';
import type { HttpRequest, HttpResponse } from '../http/index.js';
import type { SocketHandler } from './socket.js';

/** A handshake that has come through all layers to its handler. */
export interface Entry {
  readonly handler: SocketHandler;
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly ctx: RuntimeCtx;
  readonly project: Project;
}

/** Who makes a connection of a handshake, by the response to it. */
export const upgrades = new WeakMap<ServerResponse, (entry: Entry) => Promise<void>>();
