import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { onDemand, type Project } from '../../../kernel/index.js';
import { ActiveRequests } from './active-requests.js';

const fetching = onDemand(() => import('./fetch.js'));

/** Answers requests that one version of a project sends to itself, whatever it is served over. Made by the first of them. */
class Inside {
  #made: { readonly server: Server; readonly active: ActiveRequests } | undefined;
  readonly #makeListener: () => RequestListener;

  constructor(makeListener: () => RequestListener) {
    this.#makeListener = makeListener;
  }

  async fetch(request: Request, from: Socket | undefined): Promise<Response> {
    this.#made ??= this.#make();
    return (await fetching()).fetchFrom(this.#made.server, request, from);
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    await this.#made?.active.idle();
  }

  #make() {
    const active = new ActiveRequests(this.#makeListener());
    // It never listens: connections in memory are handed to it.
    return { server: createServer(active.listener), active };
  }
}

const slotOf = (project: Project): { inside?: Inside } => project.slot('http.inside', () => ({}));

/** Have a version answer requests of its own. Gives a function that resolves when none is being answered. */
export function answerInside(project: Project, makeListener: () => RequestListener): () => Promise<void> {
  const inside = new Inside(makeListener);
  slotOf(project).inside = inside;
  return () => inside.idle();
}

/**
 * Answer a web Request with the routes of a version of a project, all layers around them, whatever that is served over: for a
 * plugin that is a client of the app. The version does not end meanwhile. `from`: the connection on whose behalf the request
 * is sent. Rejects before the version is served.
 */
export async function fetchInside(project: Project, request: Request, from?: Socket): Promise<Response> {
  const { inside } = slotOf(project);
  if (!inside) throw new Error('The project is asked before it is served');
  return inside.fetch(request, from);
}
