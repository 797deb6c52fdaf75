import { definePlugin, option, type Plugin, Stage } from '../../kernel/index.js';
import type { TrustProxy } from './request.js';
import { isHttpRoute } from './route.js';

export { all, del, type Endpoint, get, head, options, patch, post, put } from './endpoint.js';
export { error, HttpError, NOT_FOUND } from './errors.js';
export { addFallback, type Fallback, type Unrouted } from './fallback.js';
export type { Method } from './methods.js';
export type { CloveRequest } from './request.js';
export type { CloveResponse, CookieOptions } from './response.js';
export { isStreamBody, isThenable, type StreamBody } from './result.js';
export {
  type Handler,
  type HttpRoute,
  httpRoute,
  isHttpRoute,
  type ParamsOf,
  type RouteMeta,
  type RoutePath,
  type Routes,
} from './route.js';
export { type HttpRoutesOptions, httpRoutes } from './routes.js';
export { wrapRoutes } from './wrap.js';

export const httpOptions = {
  /** The largest body that is read into memory, in bytes; a route's `.meta({ bodyLimit })` wins. */
  bodyLimit: option.whole(1_048_576, { unit: 'bytes' }),
  /** Whether `X-Forwarded-*` counts: false, true (every hop is trusted) or how many proxies stand in front. */
  trustProxy: option.custom<TrustProxy>(
    false,
    'true, false or a whole number of proxies',
    (value): value is TrustProxy =>
      typeof value === 'boolean' || (Number.isInteger(value) && Number(value) > 0),
  ),
};

/** The transport: one Node server for every route whose protocol is http. */
export function http(): Plugin {
  return definePlugin({
    name: 'http',
    options: httpOptions,
    apply(hooks, settings) {
      hooks.serve.tapPromise(
        { name: 'http', stage: Stage.finish },
        async ({ shell, routes, project, onClose }) => {
          if (shell.transport !== 'http') return;
          // Commands that serve nothing do not load what serving needs.
          const [{ HttpServer }, { createListener }] = await Promise.all([
            import('./server.js'),
            import('./listener.js'),
          ]);
          const listener = createListener(routes.filter(isHttpRoute), project, settings);
          const server = await shell.keep('http.server', async () => {
            const fresh = new HttpServer(shell);
            await fresh.listen();
            return fresh;
          });
          onClose(server.use(listener));
        },
      );
    },
  });
}
