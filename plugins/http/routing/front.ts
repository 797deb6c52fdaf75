import type { IncomingMessage } from 'node:http';
import { type BaseRoute, logSafely, type Project } from '../../../kernel/index.js';
import { UNEXPECTED_FAILURE } from '../errors/error-response.js';
import { HttpProblem } from '../request/http-error.js';

import { sendProblem } from '../errors/send-error.js';
import { isHttps, type TrustProxy } from '../request/forwarded.js';
import type { FrontHandler } from './front-handler.js';
import { copyRoute } from './made-route.js';
import { type HttpRoute, isHttpRoute } from './route.js';

export type { FrontHandler } from './front-handler.js';

/** What a front can ask while it serves. */
export interface FrontTools {
  /** Whether a client sent its request over https: to this server, or behind `http.trustProxy` to the proxy. */
  isHttps(raw: IncomingMessage): boolean;
}

/** Something that runs in front of everything that is answered: see `addFront`. */
export interface Front {
  /** The name of the tap: it is listed first in the `layers` of the routes that it is in front of. */
  readonly name: string;
  /**
   * Called at boot, once per route, and once with undefined for requests that no route answers: files of `public/`, 404. Gives
   * what runs in front of it; undefined for what it leaves alone.
   */
  front(route: HttpRoute | undefined, tools: FrontTools): FrontHandler | undefined;
}

const frontsOf = (project: Project): Front[] => project.slot<Front[]>('http.fronts', () => []);

/**
 * Have `front` run in front of everything that `project` answers: routes, 404 and 405, the automatic answer to OPTIONS, refused
 * bodies, files of `public/`, handshakes. Those that were added before run before. A preflight (an OPTIONS that names a method
 * in `Access-Control-Request-Method`) has the front of the route that it asks about. A URL that is answered under other methods
 * has that of the first of its routes. Call this in a tap of `resolve`. Where nobody does, requests take no longer for it.
 */
export const addFront = (project: Project, front: Front): void => void frontsOf(project).push(front);

/** The routes with what runs in front of them; the same list where there is nothing. Sets what is in front of all other requests. */
export function withFronts(
  routes: readonly BaseRoute[],
  project: Project,
  trustProxy: TrustProxy,
): readonly BaseRoute[] {
  const fronts = frontsOf(project);
  if (fronts.length === 0) return routes;
  const tools: FrontTools = { isHttps: (raw) => isHttps(raw, trustProxy) };
  // Routes with the same layers share one list of them, and those with the same handlers one function.
  const lists = new Map<readonly string[], Map<string, readonly string[]>>();
  const folded = new Map<FrontHandler, FrontHandler>();
  const handlersFor = (route: HttpRoute | undefined) =>
    fronts.flatMap((one) => {
      const handler = one.front(route, tools);
      return handler ? [{ name: one.name, handler }] : [];
    });
  const fold = (handlers: readonly { readonly handler: FrontHandler }[]): FrontHandler | undefined => {
    const [first, ...rest] = handlers;
    if (!first) return undefined;
    if (rest.length > 0) return guarded(handlers, project);
    const known = folded.get(first.handler) ?? guarded(handlers, project);
    folded.set(first.handler, known);
    return known;
  };
  setUnmatched(project, fold(handlersFor(undefined)));
  return routes.map((route) => {
    if (!isHttpRoute(route)) return route;
    const handlers = handlersFor(route);
    const front = fold(handlers);
    if (!front) return route;
    const names = handlers.map(({ name }) => name);
    const known = lists.get(route.layers) ?? new Map<string, readonly string[]>();
    const layers = known.get(names.join()) ?? [...names, ...route.layers];
    lists.set(route.layers, known.set(names.join(), layers));
    const outer = copyRoute(route);
    outer.front = front;
    outer.layers = layers;
    return outer;
  });
}

/** One function of several; what one throws is answered with 500, and logged. */
function guarded(handlers: readonly { readonly handler: FrontHandler }[], project: Project): FrontHandler {
  const [first, second, ...rest] = handlers.map(({ handler }) => handler);
  return (raw, res) => {
    try {
      if (first?.(raw, res) || second?.(raw, res)) return true;
      for (const handler of rest) if (handler(raw, res)) return true;
      return false;
    } catch (thrown) {
      if (thrown instanceof HttpProblem) {
        sendProblem(thrown, raw, res);
        return true;
      }
      const what = `${raw.method} ${raw.url} failed in front of its route`;
      logSafely(project.logger, 'error', what, thrown);
      sendProblem(new HttpProblem(500, UNEXPECTED_FAILURE), raw, res);
      return true;
    }
  };
}

const unmatchedSlot = (project: Project): { front?: FrontHandler | undefined } =>
  project.slot('http.unmatched-front', () => ({}));

const setUnmatched = (project: Project, front: FrontHandler | undefined): void => {
  unmatchedSlot(project).front = front;
};

/** What is in front of requests that no route answers. Known once the plugin `http` has resolved. */
export const unmatchedFrontOf = (project: Project): FrontHandler | undefined => unmatchedSlot(project).front;
