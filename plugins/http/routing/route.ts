import type { BaseRoute } from '../../../kernel/index.js';
import { readPath } from '../request/path-segments.js';
import type { RouteMeta } from '../request/route-info.js';
import type { Fronts, Handler } from '../response/handler.js';
import type { AnyDefinition, CheckedPart, RouteTool } from '../schema/definition.js';

/** A route that is answered over HTTP. Any kind of file may become one; the `http` plugin serves them all alike. */
export interface HttpRoute extends BaseRoute {
  readonly protocol: 'http';
  readonly method: Method;
  /** `/api/users/:id`, `/docs/*rest`. Literal segments are written decoded. */
  readonly path: string;
  readonly meta: RouteMeta;
  readonly handler: Handler;
  /** The parts of requests and responses that its schemas check. */
  readonly checks?: readonly CheckedPart[] | undefined;
  /** Set where it is a tool of MCP clients: what they see of it beside its schemas. */
  readonly tool?: RouteTool | undefined;
  /**
   * What it says of itself beside its handler: schemas, title, tags. Imports its module where that has not happened, and
   * rejects where that fails. Undefined for a route without a definition.
   */
  readonly definition?: (() => Promise<AnyDefinition | undefined>) | undefined;
  /** The layers around its handler, outermost first, by the names that `mapHttpRoutes` was given. */
  readonly layers: readonly string[];
  /** Set in development: how long each layer takes is noted. */
  readonly timeLayer?: TimeLayer | undefined;
  /** What runs in front of all layers, outermost first, by the `front` that `mapHttpRoutes` was given. */
  readonly fronts?: Fronts | undefined;
  /** It answers, but no list shows it: not `fwk routes`, not OpenAPI. A route with the same path wins. */
  readonly hidden?: boolean | undefined;
  /** `'json'`: in production its errors are JSON whatever a client accepts. Default: a page for clients that prefer HTML. */
  readonly errors?: 'json' | undefined;
  /** The body is read before the handler is called, which does not ask for it. Set where nothing is around the handler. */
  readonly readsFirst?: boolean | undefined;
  /** Set where its outermost layer, by which it has `handler`, is useful only to layers outside it: what it was without. */
  readonly unneeded?: { readonly handler: Handler; readonly route: HttpRoute } | undefined;
  /**
   * Set while it is not verified that the handler can be called, as of a route from the version before: resolves when it
   * can, rejects when it cannot. Then the request is answered by another version.
   */
  readonly ready?: (() => Promise<void>) | undefined;
}

/** Gives a handler that does what `handler` does, and is timed under the name of a layer. */
export type TimeLayer = (name: string, handler: Handler) => Handler;

/** Whether a route is answered over HTTP. */
export const isHttpRoute = (route: BaseRoute): route is HttpRoute => route.protocol === 'http';

/** A route that nobody has seen: its parts may still be set. */
type NewRoute = { -readonly [Part in keyof HttpRoute]: HttpRoute[Part] };

/**
 * A route of which every part is there, undefined where it has none. Each layer copies each route, at every save in development,
 * and what has one shape is copied ten times as fast as by a spread.
 */
class WholeRoute implements NewRoute {
  protocol;
  kind;
  file;
  label;
  id;
  chain;
  members;
  method;
  path;
  meta;
  handler;
  checks;
  tool;
  definition;
  layers;
  timeLayer;
  fronts;
  hidden;
  errors;
  readsFirst;
  unneeded;
  ready;

  constructor(route: HttpRoute) {
    this.protocol = route.protocol;
    this.kind = route.kind;
    this.file = route.file;
    this.label = route.label;
    this.id = route.id;
    this.chain = route.chain;
    this.members = route.members;
    this.method = route.method;
    this.path = route.path;
    this.meta = route.meta;
    this.handler = route.handler;
    this.checks = route.checks;
    this.tool = route.tool;
    this.definition = route.definition;
    this.layers = route.layers;
    this.timeLayer = route.timeLayer;
    this.fronts = route.fronts;
    this.hidden = route.hidden;
    this.errors = route.errors;
    this.readsFirst = route.readsFirst;
    this.unneeded = route.unneeded;
    this.ready = route.ready;
  }
}

/** Make an HTTP route of its parts: it gets a label, and an id in which parameter names are erased. Add it in a tap of `resolve`. */
export function httpRoute(
  route: Omit<HttpRoute, 'protocol' | 'label' | 'id' | 'layers' | 'unneeded'>,
): HttpRoute {
  const { method, path } = route;
  return whole({
    protocol: 'http',
    label: `${method} ${path}`,
    id: `${method} ${readPath(path).shape}`,
    layers: NO_LAYERS,
    ...route,
  });
}

const NO_LAYERS: readonly string[] = Object.freeze([]);

/** The same route in the shape that is copied fast, unless it has parts of its own. */
function whole(route: HttpRoute): HttpRoute {
  const made = new WholeRoute(route);
  for (const part in route) if (!(part in made)) return route;
  return made;
}

/** A copy of `route`, in which parts can be set before anybody else sees it. Use it in place of a spread, which takes ten times as long. */
export const copyRoute = (route: HttpRoute): NewRoute =>
  route instanceof WholeRoute ? new WholeRoute(route) : { ...route };

/** Methods that have a wrapper and a filename suffix (RFC 9110 §9, RFC 5789). `ALL` stands for every method. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL';

/** The method of each filename suffix. A wrapper has the name of the suffix; `delete`, which is a keyword, has none: it is `del`. */
export const METHOD_OF_SUFFIX: Readonly<Record<string, Method>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  del: 'DELETE',
  delete: 'DELETE',
  head: 'HEAD',
  options: 'OPTIONS',
  all: 'ALL',
};

export const wrapperName = (method: Method): string => (method === 'DELETE' ? 'del' : method.toLowerCase());

/** Routes as they are where `http.checkResponses` is false: what they return is sent unchecked, unless they say otherwise. */
export const withoutResponseChecks = (routes: readonly BaseRoute[]): BaseRoute[] =>
  routes.map((route) => {
    if (!isHttpRoute(route) || route.checks === undefined || route.meta.checkResponse !== undefined)
      return route;
    const unchecked = copyRoute(route);
    unchecked.meta = { ...route.meta, checkResponse: false };
    return unchecked;
  });
