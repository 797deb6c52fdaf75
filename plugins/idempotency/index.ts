import { definePlugin, type Plugin, type Project, Stage, slotKey } from '../../kernel/index.js';
import { peersOf } from '../../peers/index.js';
import { type Handler, type HttpRoute, isHttpRoute, mapHttpRoutes, wrapIo } from '../http/index.js';
import { projectOf } from '../http/internal.js';
import type { StoredResponses } from './stored-responses.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Requests with the same `Idempotency-Key` header run the handler once. The others get the first response. */
    readonly idempotent?: boolean;
  }
}

const STORE = slotKey<{ responses?: StoredResponses }>('idempotency');

const storeOf = (project: Project): { responses?: StoredResponses } => project.slot(STORE, () => ({}));

/** Runs routes with `.meta({ idempotent: true })` once for each `Idempotency-Key`. Without such routes, the code is not loaded. */
export function idempotency(): Plugin {
  return definePlugin({
    name: 'idempotency',
    needs: ['http'],
    apply(hooks) {
      // Directly around the handler: guards and the CSRF check have allowed the request, and its body has been read.
      hooks.resolve.tapPromise({ name: 'idempotency', stage: Stage.innermost }, async (routes, project) => {
        const own = routes.filter(isHttpRoute).filter(({ meta }) => meta.idempotent !== undefined);
        if (own.length === 0) return routes;
        const wrong = own.filter((route) => {
          const mistake = mistakeIn(route);
          if (mistake !== undefined) project.report(route.file, mistake, 'FWK403');
          return mistake !== undefined;
        });
        const { withKey } = await import('./stored-responses.js');
        const once = (handler: Handler): Handler =>
          withKey(handler, (req) => storeOf(projectOf(req)).responses as StoredResponses);
        return mapHttpRoutes(
          routes,
          'idempotency',
          (route) => (route.meta.idempotent && !wrong.includes(route) ? once(route.handler) : undefined),
          [],
        );
      });

      hooks.serve.tapPromise('idempotency', async ({ runtime, project, routes }) => {
        if (!routes.some((route) => isHttpRoute(route) && route.meta.idempotent)) return;
        const { recording, StoredResponses } = await import('./stored-responses.js');
        storeOf(project).responses = new StoredResponses(peersOf(runtime).memory('idempotency'), project);
        wrapIo(project, (io, meta) => (meta.idempotent ? recording(io) : io));
      });
    },
  });
}

function mistakeIn({ method, meta }: HttpRoute): string | undefined {
  if (typeof meta.idempotent !== 'boolean')
    return `has .meta({ idempotent: ${JSON.stringify(meta.idempotent)} }). Make it true, or leave it out.`;
  if (['GET', 'HEAD', 'OPTIONS'].includes(method))
    return `has .meta({ idempotent }), which has no effect for ${method}. Remove it, or use POST.`;
  return meta.body === 'stream'
    ? 'has .meta({ idempotent }) and .meta({ body: "stream" }). Remove one of them, because a stream cannot be compared with the first request.'
    : undefined;
}
