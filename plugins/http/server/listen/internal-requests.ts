import { EventEmitter } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Project, type Runtime, slotKey } from '../../../../kernel/index.js';
import { onDemand } from '../../../../loader/index.js';
import { markInternal } from '../../request/exchange.js';
import { ActiveWork } from '../drain/active-work.js';
import { whenDone } from '../serve/response-end.js';

const INTERNAL_SERVER = slotKey<{ inside?: InternalServer }>('http.inside');

const fetching = onDemand(() => import('./fetch.js'));

/** Answers requests that one version sends to itself, over any transport. Created by the first one. */
class InternalServer {
  #created: { readonly server: Server; readonly active: ActiveWork } | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(private readonly makeListener: () => RequestListener) {}

  async fetch(request: Request, from: Socket | undefined): Promise<Response> {
    this.#created ??= this.#make();
    const { endsOf, fetchFrom } = await fetching();
    return fetchFrom(this.#created.server, request, from && endsOf(from));
  }

  async idle(): Promise<void> {
    await this.#created?.active.idle();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #make() {
    const active = new ActiveWork();
    const listener = this.makeListener();
    const counted: RequestListener = (raw, out) => {
      whenDone(out, active.begin());
      listener(raw, out);
    };
    // It never listens: connections in memory are handed to it.
    const server = createServer(counted).on('connection', (socket: Socket) => {
      markInternal(socket);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // Bypasses `Server.prototype.emit`, which tracers patch: these requests are part of a request that they have already seen.
    server.emit = EventEmitter.prototype.emit;
    return { server, active };
  }
}

const slotOf = (project: Project): { inside?: InternalServer } => project.slot(INTERNAL_SERVER, () => ({}));

/** When the shutdown of a runtime began, by `performance.now()`; undefined before. */
const shutdownOf = (runtime: Runtime): Promise<{ since?: number }> =>
  runtime.getOrCreate('http.inside', () => {
    const shutdown: { since?: number } = {};
    runtime.onClose(() => {
      shutdown.since = performance.now();
    });
    return shutdown;
  });

/** The least time in milliseconds for responses to end whose connections a shutdown has cut off. */
const MIN_END_MS = 100;

/**
 * Have a version answer its own requests. Returns a function that resolves when none is in progress: after an edit, they may
 * take as long as they need; a shutdown cuts them off `drainLimit` milliseconds after it began.
 */
export async function serveInternalRequests(
  project: Project,
  runtime: Runtime,
  makeListener: () => RequestListener,
  drainLimit: number,
): Promise<() => Promise<void>> {
  const inside = new InternalServer(makeListener);
  slotOf(project).inside = inside;
  const shutdown = await shutdownOf(runtime);
  return async () => {
    const { since } = shutdown;
    if (since === undefined) return inside.idle();
    const cut = setTimeout(
      () => {
        runtime.cutOff = true;
        inside.cut();
      },
      Math.max(since + drainLimit - performance.now(), MIN_END_MS),
    );
    await inside.idle();
    clearTimeout(cut);
  };
}

/**
 * Answer a web Request with the routes of a project version, including all layers, whatever transport it is served over. For
 * plugins that act as a client of the app. The version doesn't end meanwhile. `from`: the connection on whose behalf the
 * request is sent. Rejects before the version is served.
 */
export async function fetchInternally(project: Project, request: Request, from?: Socket): Promise<Response> {
  const { inside } = slotOf(project);
  if (!inside) throw new Error('The project cannot answer requests before it is served');
  return inside.fetch(request, from);
}
