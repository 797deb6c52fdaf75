import type { BaseRoute } from '../../../kernel/index.js';
import type { RouteMeta } from '../request/route-info.js';
import type { Handler } from '../response/handler.js';
import type { AnyDefinition, CheckedPart } from '../schema/definition.js';
import type { RouteTool } from '../schema/route-tool.js';
import type { Fronts } from './front.js';
import type { Method } from './methods.js';

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
