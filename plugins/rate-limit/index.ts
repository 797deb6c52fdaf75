import { definePlugin, type Plugin, type Project, Stage, slotKey } from '../../kernel/index.js';
import { peersOf } from '../../peers/index.js';
import { type Handler, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import { decoded, projectOf } from '../http/internal.js';
import type { Limiter } from './limiter.js';
import { mistakeIn, Policies, type Policy, type RateLimit, rateLimitOptions } from './limits.js';

export { type RateLimit, type RateLimitKey, rateLimitOptions } from './limits.js';

const LIMITER = slotKey<{ limiter?: Limiter }>('rate-limit');

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** The request limit per client, which overrides `rateLimit` in the config; `false`: no limit. */
    readonly rateLimit?: RateLimit | readonly RateLimit[] | false;
  }
}

const slotOf = (project: Project): { limiter?: Limiter } => project.slot(LIMITER, () => ({}));

/** Rejects requests of clients above their limit. The code is only loaded in projects with limits. */
export function rateLimit(): Plugin {
  return definePlugin({
    name: 'rate-limit',
    needs: ['http'],
    options: rateLimitOptions,
    apply(hooks, settings) {
      // Around the middlewares, and inside the session, because requests may be counted by session.
      hooks.resolve.tapPromise({ name: 'rate-limit', stage: Stage.refuse }, async (routes, project) => {
        const http = routes.filter(isHttpRoute);
        const wrong = http.filter(({ file, meta }) => {
          const mistake = meta.rateLimit === undefined ? undefined : mistakeIn(meta.rateLimit);
          if (mistake !== undefined)
            project.report(file, `has .meta({ rateLimit }), which ${mistake}.`, 'FWK407');
          return mistake !== undefined;
        });
        const policies = new Policies(settings);
        if (!policies.isGeneral && http.every(({ meta }) => !meta.rateLimit)) return routes;
        const { Limiter } = await import('./limiter.js');
        slotOf(project).limiter = new Limiter(settings, project.logger, project.clock);
        const limit = limitBy(Limiter);
        const sound = http.filter((route) => route.meta.rateLimit !== undefined && !wrong.includes(route));
        const own = new Map(sound.map((route) => [route, policies.of(route)]));
        const all = mapHttpRoutes(
          routes,
          'rate-limit',
          (route) => {
            if (route.kind === 'none')
              return policies.isGeneral ? byPath(route.handler, policies, limit) : undefined;
            const by = own.get(route) ?? policies.at(route.path);
            return by.length > 0 ? limit(route.handler, by) : undefined;
          },
          Object.values(settings),
        );
        for (const { file, message } of policies.mistakes) project.report(file, message, 'FWK407');
        return all;
      });

      hooks.serve.tapPromise('rate-limit', async ({ runtime, project }) => {
        const { limiter } = slotOf(project);
        if (!limiter) return;
        const { counters, own } = await runtime.getOrCreate('rate-limit', async () => {
          const { LocalCounters } = await import('./counters.js');
          const own = new LocalCounters(settings.maxKeys);
          if (peersOf(runtime).span === 'process') return { counters: own, own };
          const { SharedCounters } = await import('./shared-counters.js');
          return { counters: new SharedCounters(peersOf(runtime), own, settings.maxKeys), own };
        });
        limiter.open(counters, own, peersOf(runtime).span);
      });
    },
  });
}

type Limit = (handler: Handler, by: readonly Policy[]) => Handler;

/** Not inside the tap, because later versions keep the handlers, and would keep the project of the tap in memory. */
const limitBy =
  (Made: typeof Limiter): Limit =>
  (handler, by) =>
    Made.around(handler, by, (req) => slotOf(projectOf(req)).limiter as Limiter);

/** For requests that match no route, only the path is known. */
function byPath(handler: Handler, policies: Policies, limit: Limit): Handler {
  const known = new Map<unknown, Handler>();
  return (req, res, ctx) => {
    const own = policies.at(decoded(req.path));
    const limited = known.get(own) ?? (own.length > 0 ? limit(handler, own) : handler);
    known.set(own, limited);
    return limited(req, res, ctx);
  };
}
