import { brand, type RuntimeCtx } from '../../kernel/index.js';
import { DefinitionError, type HttpRequest, type HttpResponse } from '../http/index.js';

/**
 * Runs the next middleware, or the handler. Returns its result, or a promise of it: return that, or await it. May be called
 * once.
 */
export type Next = () => unknown;

/** Runs around handlers. What it returns is the result: `return next()` to pass the inner one on. */
export type Middleware = (req: HttpRequest, res: HttpResponse, ctx: RuntimeCtx, next: Next) => unknown;

/** The default export of a middleware file. */
export interface MiddlewareModule {
  readonly run: Middleware;
}

const middlewares = brand<MiddlewareModule>('fwkit.middleware');

/** `export default middleware(async (req, res, ctx, next) => { …; return next(); })` */
export function middleware(run: Middleware): MiddlewareModule {
  if (typeof run !== 'function')
    throw new DefinitionError('middleware() takes a function (req, res, ctx, next)', 'FWK402');
  return Object.freeze(middlewares.mark({ run }));
}

export const isMiddleware = middlewares.has;
