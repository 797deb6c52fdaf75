import { type BaseRoute, isObject, PluginMisuse } from '../../../kernel/index.js';
import { readPath } from '../request/path-segments.js';
import type { RouteMeta } from '../request/route-info.js';
import type { Fronts, Handler } from '../response/handler.js';
import type { AnyDefinition, CheckedPart, RouteTool } from '../schema/definition.js';

/** A route over HTTP. Files of any kind can become routes; the `http` plugin serves all of them in the same way. */
export interface HttpRoute extends BaseRoute {
  readonly protocol: 'http';
  readonly method: Method;
  /** `/api/users/:id`, `/docs/*rest`. Literal segments are decoded. */
  readonly path: string;
  readonly meta: RouteMeta;
  readonly handler: Handler;
  /** The parts of requests and responses that schemas check. */
  readonly checks?: readonly CheckedPart[] | undefined;
  /** Set if the route is a tool for MCP clients: the tool's name, title and other data besides the schemas. */
  readonly tool?: RouteTool | undefined;
  /**
   * Loads the schemas, title, tags and so on of the route. Imports the module if necessary, and rejects if that fails.
   * Resolves to undefined for a route without a definition.
   */
  readonly definition?: (() => Promise<AnyDefinition | undefined>) | undefined;
  /** The names of the layers around its handler, outermost first, as passed to `mapHttpRoutes`. */
  readonly layers: readonly string[];
  /** Set in development, to measure the time of each layer. */
  readonly timeLayer?: TimeLayer | undefined;
  /** The functions that run before all layers, outermost first, as passed to `mapHttpRoutes`. */
  readonly fronts?: Fronts | undefined;
  /** Whether the route is served but not listed by `fwk routes` and OpenAPI. A route with the same path takes precedence. */
  readonly hidden?: boolean | undefined;
  /** `'json'`: in production, errors are JSON whatever the client accepts. Default: a page for clients that prefer HTML. */
  readonly errors?: 'json' | undefined;
  /** Whether the body is read before the handler is called, which is possible if the handler has no layers. */
  readonly readsFirst?: boolean | undefined;
  /** The handler and the route without the outermost layer, if that layer only serves layers outside it. */
  readonly unneeded?: { readonly handler: Handler; readonly route: HttpRoute } | undefined;
  /**
   * Set until it is verified that the handler can be called, such as for a route from the previous version. Resolves if it
   * can. If it rejects, another version answers the request.
   */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Set if it is a placeholder: see `placeholders.ts`. */
  readonly placeholder?: Placeholder | undefined;
}

/** The URLs and files that a placeholder route represents. */
export interface Placeholder {
  /** The prefix of the URLs that it answers: `/api/admin`, decoded; undefined if it only represents directories of files. */
  readonly prefix: string | undefined;
  readonly directories: readonly string[];
}

/** Returns `handler` with its time measured under the name of a layer. */
export type TimeLayer = (name: string, handler: Handler) => Handler;

/** Whether a route is answered over HTTP. */
export const isHttpRoute = (route: BaseRoute): route is HttpRoute => route.protocol === 'http';

/** A route that isn't shared yet, so its fields may still be set. */
type NewRoute = { -readonly [Part in keyof HttpRoute]: HttpRoute[Part] };

/**
 * A route with all fields, undefined if unset. Each layer copies each route, every time a file is saved in development, and
 * objects with a single hidden class are copied ten times as fast as with a spread.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor sets all fields.
class FullRoute {
  #derived: Derived | undefined;

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
    this.placeholder = route.placeholder;
  }

  static derive(route: HttpRoute, name: string, uses: readonly unknown[], make: MakeRoute): HttpRoute {
    if (!(#derived in route)) return make(route);
    const known = route.#derived;
    if (known?.name === name && haveSameItems(known.uses, uses)) return known.route;
    const derived = make(route);
    if (derived !== route) route.#derived = { name, uses, route: derived };
    return derived;
  }
}

// biome-ignore lint/correctness/noUnusedVariables: declares the fields of the class.
interface FullRoute extends NewRoute {}

type MakeRoute = (route: HttpRoute) => HttpRoute;

/** The route that a tap made of another route. */
interface Derived {
  readonly name: string;
  readonly uses: readonly unknown[];
  readonly route: HttpRoute;
}

export const haveSameItems = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some === others || (some.length === others.length && some.every((one, at) => Object.is(one, others[at])));

/**
 * Returns `make(route)`, the route that the tap `name` makes of `route`, or the result for the same route in the previous version if all
 * values in `uses` are the same. The routes of unchanged files stay the same objects from version to version in this way.
 */
export const deriveRoute = FullRoute.derive;

/** Create an HTTP route: adds a label, and an id without parameter names. Call it in a tap of `resolve`. */
export function httpRoute(
  route: Omit<HttpRoute, 'protocol' | 'label' | 'id' | 'layers' | 'unneeded' | 'placeholder'>,
): HttpRoute {
  const created = new FullRoute(route as HttpRoute);
  created.protocol = 'http';
  created.layers ??= NO_LAYERS;
  const fault = routeFault(created);
  if (fault !== undefined)
    throw new PluginMisuse(`it calls httpRoute() for ${JSON.stringify(route.file)} with a route ${fault}`);
  const { method, path } = created;
  created.label ??= `${method} ${path}`;
  created.id ??= `${method} ${readPath(path).shape}`;
  // Additional fields of a plugin, which few routes have.
  for (const part in route) if (!(part in created)) return { ...created, ...route };
  return created;
}

const NO_LAYERS: readonly string[] = Object.freeze([]);

/** The mistake in the members of an HTTP route, completing "the route …"; undefined if there is none. */
export function routeFault(route: { readonly [Part in keyof HttpRoute]?: unknown }): string | undefined {
  const { method, path, meta, handler, layers } = route;
  if (typeof method !== 'string' || !METHODS.has(method))
    return `whose "method" is ${JSON.stringify(method)}. Give one of ${[...METHODS].join(', ')}`;
  if (typeof path !== 'string' || !path.startsWith('/'))
    return `whose "path" is ${JSON.stringify(path)}. Give a path that begins with a slash`;
  if (typeof handler !== 'function')
    return 'whose "handler" is not a function. Give (req, res, ctx) => result';
  if (!isObject(meta)) return 'whose "meta" is not an object. Give {}';
  return Array.isArray(layers) ? undefined : 'whose "layers" are not a list of names. Give []';
}

/** The same route as a fast-to-copy object, unless it has additional fields. */
export function fullRoute(route: HttpRoute): HttpRoute {
  const copy = new FullRoute(route);
  for (const part in route) if (!(part in copy)) return route;
  return copy;
}

/** A copy of `route`, in which parts can be set before anybody else sees it. Use it in place of a spread, which takes ten times as long. */
export const copyRoute = (route: HttpRoute): NewRoute =>
  route instanceof FullRoute ? new FullRoute(route) : { ...route };

/** Methods that have a wrapper and a file name suffix (RFC 9110 §9, RFC 5789). `ALL` matches every method. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL';

/** The method of each file name suffix. Wrappers are named after the suffix, except `del`, because `delete` is a keyword. */
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

const METHODS: ReadonlySet<string> = new Set(Object.values(METHOD_OF_SUFFIX));

export const wrapperName = (method: Method): string => (method === 'DELETE' ? 'del' : method.toLowerCase());

/** The routes for `http.checkResponses: false`: their results are sent unchecked unless their metadata overrides it. */
export const withoutResponseChecks = (routes: readonly BaseRoute[]): BaseRoute[] =>
  routes.map((route) => {
    if (!isHttpRoute(route) || route.checks === undefined || route.meta.checkResponse !== undefined)
      return route;
    return deriveRoute(route, 'http:checks', [], () => {
      const unchecked = copyRoute(route);
      unchecked.meta = { ...route.meta, checkResponse: false };
      return unchecked;
    });
  });
