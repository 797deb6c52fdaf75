/** The project's paths and their parameters, added by the generated types: `"/api/users/:id": { id: string }`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Routes {}

/** A path of the project: `"/api/users/:id"`. */
export type RoutePath = keyof Routes;

/** `req.params` of a path; of no path in particular, any name may be there. */
export type ParamsOf<Path extends RoutePath> = [Path] extends [never]
  ? Readonly<Record<string, string>>
  : Readonly<Routes[Path]>;

/**
 * The endpoints behind each path, by the method that the typed client calls, added by the generated types:
 * `"/api/users/:id": { readonly get: (typeof import('…'))['default'] }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Paths {}

/** The name of every parameter of the project, added by the generated types: `id: string`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface ParamNames {}

/** `req.params` of a handler that does not say its path: a name that no file of the project has does not compile. */
export type AnyParams = [keyof ParamNames] extends [never] ? Readonly<Record<string, string>> : ProjectParams;

/** Named, and no interface: it has to go where parameters of any name do. */
type ProjectParams = { readonly [Name in keyof ParamNames]: string };

/** `req.query` without a schema: the first value of each key. */
export type AnyQuery = Readonly<Record<string, string | undefined>>;

/** Facts about a route that middlewares may read as `req.route.meta`. Projects add their own keys by augmenting it. */
export interface RouteMeta {
  /** The largest body this route takes, in bytes. Default: `http.bodyLimit`. */
  readonly bodyLimit?: number;
  /**
   * `'stream'`: the body is not read. `req.body` is the request's own stream, decompressed if need be, or an
   * `AsyncIterable<Part>` for a multipart form. It may have any size unless the route sets `bodyLimit`.
   */
  readonly body?: 'stream';
  /** `false`: what its handler returns is sent without a check by its `response` and `errors`. Default: `http.checkResponses`. */
  readonly checkResponse?: boolean;
  /**
   * Milliseconds that this route has until its response begins; 0: any time. When they are over, `req.signal` aborts and the
   * client gets 503. Default: `http.timeout`.
   */
  readonly timeout?: number;
  /** Set by `sse()`: it answers with server-sent events. */
  readonly sse?: boolean;
}

/** The route that answers a request, as `req.route`. `path` and `file` are undefined where none does. */
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
  /** Files of the middlewares around it, outermost first: error pages show them as "Middlewares". */
  readonly chain?: readonly string[] | undefined;
  /** `'json'`: its errors are JSON in production, whatever a client accepts. */
  readonly errors?: 'json' | undefined;
}

/** `req.route` where no route matched: a guard that requires something of `meta` throws. */
export const NO_ROUTE: RouteInfo = Object.freeze({
  kind: 'none',
  path: undefined,
  file: undefined,
  meta: Object.freeze({}),
});
