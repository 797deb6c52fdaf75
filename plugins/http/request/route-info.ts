/** The project's paths and their parameters, added by the generated types: `"/api/users/:id": { id: string }`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Routes {}

/** A path of the project: `"/api/users/:id"`. */
export type RoutePath = keyof Routes;

/** The type of `req.params` for a path. Without a path, any parameter name is allowed. */
export type ParamsOf<Path extends RoutePath> = [Path] extends [never]
  ? Readonly<Record<string, string>>
  : Readonly<Routes[Path]>;

/**
 * The endpoints of each path, by the method name in the typed client. Added by the generated types: `"/api/users/:id": {
 * readonly get: (typeof import('…'))['default'] }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Paths {}

/** The names of all parameters in the project, added by the generated types: `id: string`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface ParamNames {}

/** The type of `req.params` without a specified path. A name that occurs in no file is a type error. */
export type AnyParams = [keyof ParamNames] extends [never] ? Readonly<Record<string, string>> : ProjectParams;

/** A type alias rather than an interface, so that it is assignable to an index signature. */
type ProjectParams = { readonly [Name in keyof ParamNames]: string };

/** The type of `req.query` without a schema: the first value of each key. */
export type AnyQuery = Readonly<Record<string, string | undefined>>;

/** Route metadata that middlewares can read as `req.route.meta`. Projects add their own keys by declaration merging. */
// Other plugins extend it in this module: through an index, a project's own keys would be lost (TypeScript 7.0).
export interface RouteMeta {
  /** The largest request body, in bytes. Default: `http.bodyLimit`. */
  readonly bodyLimit?: number;
  /**
   * `'stream'`: the body isn't read. `req.body` is the request stream, decompressed if necessary, or an `AsyncIterable<Part>`
   * for a multipart form. Its size is unlimited unless the route sets `bodyLimit`.
   */
  readonly body?: 'stream';
  /** `false`: the handler's result isn't checked against `response` and `errors`. Default: `http.checkResponses`. */
  readonly checkResponse?: boolean;
  /**
   * Milliseconds until the response must begin; 0: no limit. After that, `req.signal` aborts and the client gets 503.
   * Default: `http.timeout`.
   */
  readonly timeout?: number;
  /** Set by `sse()`: the route responds with server-sent events. */
  readonly sse?: boolean;
}

/** The route that answers a request, as `req.route`. `path` and `file` are undefined if no route matched. */
export interface RouteInfo {
  /** The convention that the route comes from: `api`, `web`; `none` if no route matched. */
  readonly kind: string;
  /** `/api/users/:id` */
  readonly path: string | undefined;
  /** Relative to the source directory. */
  readonly file: string | undefined;
  readonly meta: RouteMeta;
  /** `GET /api/users/:id` */
  readonly label?: string;
  /** Files of the middlewares around the route, outermost first. Error pages list them as "Middlewares". */
  readonly chain?: readonly string[] | undefined;
  /** `'json'`: errors are JSON in production, whatever the client accepts. */
  readonly errors?: 'json' | undefined;
}

/** `req.route` if no route matched. Frozen and without metadata, so a guard that requires metadata throws. */
export const NO_ROUTE: RouteInfo = Object.freeze({
  kind: 'none',
  path: undefined,
  file: undefined,
  meta: Object.freeze({}),
});
