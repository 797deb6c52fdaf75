import { type BaseRoute, isObject, PluginMisuse, type Project } from '../../../kernel/index.js';
import { logSafely } from '../../../scope/index.js';
import { UNEXPECTED_FAILURE } from '../errors/error-page.js';
import { sendProblem } from '../errors/send-error.js';
import { HttpProblem } from '../request/http-error.js';
import type { FrontHandler, Fronts, Handler } from '../response/handler.js';
import { copyRoute, deriveRoute, type HttpRoute, isHttpRoute } from './route.js';

/** The functions that a plugin puts around a route. */
export interface Wrapped {
  /** Replaces the handler of the route, and may call it. */
  readonly handler?: Handler | undefined;
  /** Runs before everything else for the route, before its body is read. Set it at `Stage.front`. */
  readonly front?: FrontHandler | undefined;
  /** Files of the middlewares around the route, outermost first, for `fwk routes --verbose`. Default: the route's `chain`. */
  readonly chain?: readonly string[];
  /** This layer is useful only to layers outside it: if there are none, it is left out. Default: it always stays. */
  readonly droppedIfInnermost?: boolean;
}

/**
 * Put a layer around the handlers of HTTP routes, or a front before them. Call this in a tap of `resolve`. `wrap` is called
 * once per route, at boot, and returns the functions that answer its requests; undefined leaves the route unchanged, like
 * routes of other protocols. `name`, the name of the tap, such as `audit` or `audit:part`, is added to `layers` of the
 * changed routes. URLs without a route have placeholder routes, whose `kind` is `none`: wrap them at `Stage.wrap` or later.
 *
 * After a save, `wrap` is called again for every route. To call it for changed routes only, pass `uses`: all values, besides the
 * route, that the results of `wrap` depend on, such as options. If they are the same as in the previous version, unchanged routes
 * keep their results. `wrap` then must not use the project or anything that belongs to one version.
 */
export function mapHttpRoutes(
  routes: readonly BaseRoute[],
  name: string,
  wrap: (route: HttpRoute) => Handler | Wrapped | undefined,
  uses?: readonly unknown[],
): BaseRoute[] {
  const wrapRoute = routeWrapper(name);
  const make = (route: HttpRoute): HttpRoute => wrapRoute(route, wrap);
  return routes.map((route) => {
    if (!isHttpRoute(route)) return route;
    return uses ? deriveRoute(route, name, uses, make) : make(route);
  });
}

/** Returns a function that puts a layer around one route, for `deriveRoute`. */
export function routeWrapper(name: string) {
  // Routes with the same layers share one array, and so do routes with the same fronts.
  const lists = new Map<readonly string[], readonly string[]>();
  const fronts = new Map<FrontHandler, Map<Fronts, Fronts>>();
  return (route: HttpRoute, wrap: (route: HttpRoute) => Handler | Wrapped | undefined): HttpRoute => {
    const wrapped = wrap(route);
    if (wrapped === undefined) return route;
    const { handler, front, chain, droppedIfInnermost }: Wrapped =
      typeof wrapped === 'function' ? { handler: wrapped } : checkedLayer(wrapped, route);
    const outer = copyRoute(route);
    if (handler) outer.handler = route.timeLayer ? route.timeLayer(name, handler) : handler;
    if (front) outer.fronts = withFront(front, route.fronts ?? NO_FRONTS, fronts);
    outer.layers = lists.get(route.layers) ?? [name, ...route.layers];
    lists.set(route.layers, outer.layers);
    if (chain) {
      outer.chain = chain;
      // The middlewares of a route also run for its members.
      outer.members = route.members?.map((member) => ({ ...member, chain }));
    }
    if (droppedIfInnermost) outer.unneeded = { handler: outer.handler, route };
    return outer;
  };
}

/** Returns the result of `wrap`. Throws if it is not a layer, because the error would otherwise name a plugin that runs later. */
function checkedLayer(wrapped: Wrapped, { label }: HttpRoute): Wrapped {
  const isFunction = (value: unknown) => value === undefined || typeof value === 'function';
  if (isObject(wrapped) && isFunction(wrapped.handler) && isFunction(wrapped.front)) return wrapped;
  throw new PluginMisuse(
    `its function for mapHttpRoutes returned ${JSON.stringify(wrapped)} for ${label}. Return a handler, { handler, front }, or undefined to leave the route unchanged`,
  );
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
 * Remove the outermost layers that only serve layers outside them. If any were removed, nothing else is around the handler,
 * so the body can be read first: no layer could respond before. Returns the same route if there are none.
 */
export const withoutUnneededLayers = (route: HttpRoute): HttpRoute =>
  route.unneeded ? deriveRoute(route, 'http:trim', NOTHING, bareRoute) : route;

const NOTHING: readonly unknown[] = [];

function bareRoute(route: HttpRoute): HttpRoute {
  let inner = behind(route);
  if (!inner) return route;
  for (let next = behind(inner); next; next = behind(inner)) inner = next;
  const bare = copyRoute(route);
  bare.handler = inner.handler;
  bare.layers = inner.layers;
  bare.readsFirst = true;
  // A reference would keep the route with the layer in memory.
  bare.unneeded = undefined;
  return bare;
}

/** The route without its outermost layer, if that only serves other layers and no tap has replaced the handler since. */
const behind = ({ handler, unneeded }: HttpRoute): HttpRoute | undefined =>
  unneeded?.handler === handler ? unneeded.route : undefined;

/** Combines the fronts of a route, once for all routes with the same ones. Errors are answered with 500. */
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
      const what = `${raw.method} ${raw.url} failed before its route ran`;
      logSafely(project.logger, 'error', what, thrown);
      sendProblem(new HttpProblem(500, UNEXPECTED_FAILURE), raw, res);
      return true;
    }
  };
}
