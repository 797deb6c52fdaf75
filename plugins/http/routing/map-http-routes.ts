import type { BaseRoute } from '../../../kernel/index.js';
import { type Handler, type HttpRoute, isHttpRoute } from './route.js';

/** A layer around the handler of one route. */
export interface Wrapped {
  /** Answers in place of the route's handler, which it calls, or does not. */
  readonly handler: Handler;
  /** Files of middlewares that run around the route, outermost first, for `fwk routes --verbose`. Default: what the route says. */
  readonly chain?: readonly string[];
  /**
   * This layer is useful only to layers outside it: if there are none, it is left out. Default: it always stays.
   */
  readonly droppedIfInnermost?: boolean;
}

/** Routes as they were before they got a layer that only other layers need, by the handler with that layer. */
const inside = new WeakMap<Handler, HttpRoute>();

/**
 * Put a layer around the handlers of HTTP routes: call it in a tap of `resolve`. `wrap` is called once per route, at boot, and
 * gives what answers its requests from then on; undefined for a route that is to stay as it is, as those of other
 * protocols do. `name` is added to `layers` of the routes that change: the name of the tap, `audit` or `audit:part`.
 */
export function mapHttpRoutes(
  routes: readonly BaseRoute[],
  name: string,
  wrap: (route: HttpRoute) => Handler | Wrapped | undefined,
): BaseRoute[] {
  // Routes with the same layers share one list of them.
  const lists = new Map<readonly string[], readonly string[]>();
  return routes.map((route) => {
    if (!isHttpRoute(route)) return route;
    const wrapped = wrap(route);
    if (wrapped === undefined) return route;
    const layers = lists.get(route.layers) ?? [name, ...route.layers];
    lists.set(route.layers, layers);
    const time = (handler: Handler): Handler => route.timeLayer?.(name, handler) ?? handler;
    if (typeof wrapped === 'function')
      return { ...route, handler: time(wrapped), layers } satisfies HttpRoute;
    const { chain = route.chain, droppedIfInnermost } = wrapped;
    const handler = time(wrapped.handler);
    if (droppedIfInnermost) inside.set(handler, route);
    return { ...route, handler, layers, ...(chain ? chained(route, chain) : {}) } satisfies HttpRoute;
  });
}

/** What a route is reached through is around all that is behind it. */
const chained = ({ members }: HttpRoute, chain: readonly string[]): Partial<HttpRoute> => ({
  chain,
  ...(members ? { members: members.map((member) => ({ ...member, chain })) } : {}),
});

/** The route without its outermost layers as long as these are useful only to layers outside them; the same route where there are none. */
export function withoutUnneededLayers(route: HttpRoute): HttpRoute {
  const inner = inside.get(route.handler);
  if (!inner) return route;
  const { handler, layers } = withoutUnneededLayers(inner);
  return { ...route, handler, layers };
}
