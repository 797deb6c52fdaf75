import type { BaseRoute, Project } from '../../../kernel/index.js';
import { logSafely } from '../../../scope/index.js';
import { UNEXPECTED_FAILURE } from '../errors/error-page.js';
import { sendProblem } from '../errors/send-error.js';
import { HttpProblem } from '../request/http-error.js';
import type { FrontHandler, Fronts, Handler } from '../response/handler.js';
import { copyRoute, type HttpRoute, isHttpRoute } from './route.js';

/** What a plugin puts around one route. */
export interface Wrapped {
  /** Answers in place of the route's handler, which it calls, or does not. */
  readonly handler?: Handler | undefined;
  /** Runs in front of everything that answers the route, before its body is read. Give it at `Stage.front`. */
  readonly front?: FrontHandler | undefined;
  /** Files of middlewares that run around the route, outermost first, for `fwk routes --verbose`. Default: what the route says. */
  readonly chain?: readonly string[];
  /** This layer is useful only to layers outside it: if there are none, it is left out. Default: it always stays. */
  readonly droppedIfInnermost?: boolean;
}

/**
 * Put a layer around the handlers of HTTP routes, or a front before them: call it in a tap of `resolve`. `wrap` is called once per
 * route, at boot, and returns what answers its requests from then on; undefined for a route that stays unchanged, as routes of
 * other protocols do. `name` is added to `layers` of the routes that change: the name of the tap, `audit` or `audit:part`. URLs
 * without a route have placeholder routes, whose `kind` is `none`: wrap them at `Stage.wrap` or later.
 */
export function mapHttpRoutes(
  routes: readonly BaseRoute[],
  name: string,
  wrap: (route: HttpRoute) => Handler | Wrapped | undefined,
): BaseRoute[] {
  // Routes with the same layers share one list of them, and so do those with the same fronts.
  const lists = new Map<readonly string[], readonly string[]>();
  const fronts = new Map<FrontHandler, Map<Fronts, Fronts>>();
  return routes.map((route) => {
    if (!isHttpRoute(route)) return route;
    const wrapped = wrap(route);
    if (wrapped === undefined) return route;
    const { handler, front, chain, droppedIfInnermost }: Wrapped =
      typeof wrapped === 'function' ? { handler: wrapped } : wrapped;
    const outer = copyRoute(route);
    if (handler) outer.handler = route.timeLayer ? route.timeLayer(name, handler) : handler;
    if (front) outer.fronts = withFront(front, route.fronts ?? NO_FRONTS, fronts);
    outer.layers = lists.get(route.layers) ?? [name, ...route.layers];
    lists.set(route.layers, outer.layers);
    if (chain) {
      outer.chain = chain;
      // What a route is reached through is around all that is behind it.
      outer.members = route.members?.map((member) => ({ ...member, chain }));
    }
    if (droppedIfInnermost) outer.unneeded = { handler: outer.handler, route };
    return outer;
  });
}

const NO_FRONTS: Fronts = [];

function withFront(
  front: FrontHandler,
  inner: Fronts,
  known: Map<FrontHandler, Map<Fronts, Fronts>>,
): Fronts {
  const lists = known.get(front) ?? new Map<Fronts, Fronts>();
  known.set(front, lists);
  const list = lists.get(inner) ?? [front, ...inner];
  lists.set(inner, list);
  return list;
}

/**
 * The route without its outermost layers as long as these are useful only to layers outside them; the same route where there are none. If there were
 * such, no other is around it: its body can be read first, since no layer could answer before.
 */
export function withoutUnneededLayers(route: HttpRoute): HttpRoute {
  let inner = behind(route);
  if (!inner) return route;
  for (let next = behind(inner); next; next = behind(inner)) inner = next;
  const bare = copyRoute(route);
  bare.handler = inner.handler;
  bare.layers = inner.layers;
  bare.readsFirst = true;
  // It would keep the route with the layer in memory.
  bare.unneeded = undefined;
  return bare;
}

/** The route behind its outermost layer, where that is useful to other layers only. A tap may have put another handler there since. */
const behind = ({ handler, unneeded }: HttpRoute): HttpRoute | undefined =>
  unneeded?.handler === handler ? unneeded.route : undefined;

/** Makes one function of the fronts of a route, the same one for routes with the same fronts. What a front throws is answered with 500, and logged. */
export function frontFolder(project: Project): (fronts: Fronts | undefined) => FrontHandler | undefined {
  const folded = new Map<Fronts, FrontHandler>();
  return (fronts) => {
    if (fronts === undefined) return undefined;
    const known = folded.get(fronts) ?? guarded(fronts, project);
    folded.set(fronts, known);
    return known;
  };
}

function guarded([first, second, ...rest]: Fronts, project: Project): FrontHandler {
  return (raw, res) => {
    try {
      if (first?.(raw, res) || second?.(raw, res)) return true;
      for (const front of rest) if (front(raw, res)) return true;
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
