import type { BaseRoute, RuntimeCtx } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from '../response/response.js';
import type { Method } from './methods.js';

/** The project's paths and their parameters, added by the generated types: `"/api/users/:id": { id: string }`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Routes {}

/** A path of the project: `"/api/users/:id"`. */
export type RoutePath = keyof Routes;

/** `req.params` of a path; of no path in particular, any name may be there. */
export type ParamsOf<Path extends RoutePath> = [Path] extends [never]
  ? Readonly<Record<string, string>>
  : Readonly<Routes[Path]>;

/** Facts about a route that middlewares may read as `req.route.meta`. Projects add their own keys by augmenting it. */
export interface RouteMeta {
  /** The largest body this route takes, in bytes. Default: `http.bodyLimit`. */
  readonly bodyLimit?: number;
  /**
   * `'stream'`: the body is not read. `req.body` is the request's own stream, decompressed if need be, or an
   * `AsyncIterable<Part>` for a multipart form. It may have any size unless the route sets `bodyLimit`.
   */
  readonly body?: 'stream';
  /** Set by `sse()`: it answers with server-sent events. */
  readonly sse?: boolean;
}

/** What a request is answered by. Its return value becomes the response. */
export type Handler<Path extends RoutePath = never, Body = unknown, Result = unknown> = (
  req: HttpRequest<Path, Body>,
  res: HttpResponse,
  ctx: RuntimeCtx,
) => Result;

/** Answered over HTTP. Any kind of file may become one; the `http` plugin serves them all alike. */
export interface HttpRoute extends BaseRoute {
  readonly protocol: 'http';
  readonly method: Method;
  /** `/api/users/:id`, `/docs/*rest`. Literal segments are written decoded. */
  readonly path: string;
  readonly meta: RouteMeta;
  readonly handler: Handler;
  /** The layers around its handler, outermost first, by the names that `mapHttpRoutes` was given. */
  readonly layers: readonly string[];
  /** `'json'`: in production its errors are JSON whatever a client accepts. Default: a page for who prefers HTML. */
  readonly errors?: 'json';
  /** The body is read before the handler is called, which does not ask for it. Set where nothing is around the handler. */
  readonly readsFirst?: boolean;
  /**
   * Where it is believed only that the handler can be called: resolves when it is certain, rejects when it cannot. Then
   * the request is answered by another version.
   */
  readonly ready?: () => Promise<void>;
}

/** What a request knows of the route that answers it: `path` and `file` are undefined where none does. */
export interface RouteInfo {
  /** The convention it came from: `api`, `web`; `none` where no route matched. */
  readonly kind: string;
  /** `/api/users/:id` */
  readonly path: string | undefined;
  /** Relative to the source directory. */
  readonly file: string | undefined;
  readonly meta: RouteMeta;
  /** `GET /api/users/:id` */
  readonly label?: string;
  /** Files that run around it, outermost first. */
  readonly chain?: readonly string[];
  /** `'json'`: its errors are JSON in production, whatever a client accepts. */
  readonly errors?: 'json';
}

/** `req.route` where no route matched: a guard that asks for `meta` refuses it. */
export const NO_ROUTE: RouteInfo = Object.freeze({
  kind: 'none',
  path: undefined,
  file: undefined,
  meta: Object.freeze({}),
});

export const isHttpRoute = (route: BaseRoute): route is HttpRoute => route.protocol === 'http';

/** Make an HTTP route: its label, and an id in which parameter names are erased. */
export function httpRoute(route: Omit<HttpRoute, 'protocol' | 'label' | 'id' | 'layers'>): HttpRoute {
  const { method, path } = route;
  // In this order: what is spread into a new object leaves it no room for more, and each of these would make it anew.
  return {
    protocol: 'http',
    label: `${method} ${path}`,
    id: `${method} ${shapeOf(path)}`,
    layers: NO_LAYERS,
    ...route,
  };
}

const NO_LAYERS: readonly string[] = Object.freeze([]);

function shapeOf(path: string): string {
  if (!path.includes('/:') && !path.includes('/*')) return path;
  const isNamed = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');
  const shapes = path.split('/').map((segment) => (isNamed(segment) ? segment.charAt(0) : segment));
  return shapes.join('/');
}
