import { definePlugin, option, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { settledWithin } from '../context/index.js';
import { type Handler, type HttpRoute, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import type { Cache } from './cached.js';
import { type CacheMeta, cacheMistake } from './meta.js';
import { onPurge } from './purge.js';

export type { CacheMeta } from './meta.js';
export { purge } from './purge.js';

export const cacheOptions = {
  /** Bytes of all responses that a process keeps; those that were used longest ago make room. */
  maxSize: option.whole(67_108_864, { unit: 'bytes' }),
  /** Bytes of the largest response that is kept. */
  maxEntry: option.whole(1_048_576, { unit: 'bytes' }),
};

/** The handler of a cached route: turned into a response by the layers that do that for all, and nothing else around it. */
interface Inner {
  readonly route: HttpRoute;
  handler: Handler;
}

const TOPIC = 'cache.purge';
/** How long a version that ends waits for what is being computed, in milliseconds. */
const END_TIMEOUT_MS = 10_000;

/** Routes with `.meta({ cache })` are computed once for many requests. Other projects load nothing of it. */
export function cache(): Plugin {
  return definePlugin({
    name: 'cache',
    needs: ['http'],
    options: cacheOptions,
    apply(hooks, settings) {
      const innerOf = (project: Project): Inner[] => project.slot<Inner[]>('cache.inner', () => []);
      const cacheOf = async (project: Project): Promise<Cache> => {
        const { Cache } = await import('./cached.js');
        return project.slot('cache', () => new Cache(project, settings));
      };

      hooks.resolve.tapPromise({ name: 'cache', stage: Stage.inside }, async (routes, project) => {
        const all = routes.filter(isHttpRoute).filter(({ meta }) => meta.cache !== undefined);
        if (all.length === 0) return routes;
        const wrong = new Set<HttpRoute>();
        for (const route of all) {
          const mistake = cacheMistake(route);
          if (mistake === undefined) continue;
          project.report(route.file, mistake, 'FWK406');
          wrong.add(route);
        }
        const store = await cacheOf(project);
        return mapHttpRoutes(routes, 'cache', (route) => {
          const meta: CacheMeta | undefined = route.meta.cache;
          if (meta === undefined || wrong.has(route)) return undefined;
          const inner: Inner = { route, handler: route.handler };
          innerOf(project).push(inner);
          return (req, res, ctx) => store.answer(req, res, ctx, meta, inner.handler);
        });
      });

      // Beside the routes, while results become responses: so what is computed is one, whoever waits for it.
      hooks.resolve.tapPromise({ name: 'cache:inner', stage: Stage.respond - 1 }, async (routes, project) => [
        ...routes,
        ...innerOf(project).map(({ route }) => ({ ...route, id: innerId(route), layers: [] })),
      ]);
      hooks.resolve.tapPromise(
        { name: 'cache:computed', stage: Stage.respond + 1 },
        async (routes, project) => {
          const byId = new Map(innerOf(project).map((inner) => [innerId(inner.route), inner]));
          return routes.filter((route) => {
            const inner = byId.get(route.id);
            if (inner && isHttpRoute(route)) inner.handler = route.handler;
            return !inner;
          });
        },
      );

      hooks.serve.tapPromise('cache', async ({ runtime, project, onClose }) => {
        if (innerOf(project).length === 0) return;
        const store = await cacheOf(project);
        const { peers } = runtime;
        const ends = [
          onPurge((tags) => {
            store.purge(tags);
            peers.send(TOPIC, tags);
          }),
          peers.on(TOPIC, (tags) => store.purge(Array.isArray(tags) ? tags.map(String) : [])),
        ];
        onClose(async () => {
          await settledWithin(store.idle(), END_TIMEOUT_MS);
          for (const end of ends) end();
        });
      });
    },
  });
}

const innerId = ({ id }: HttpRoute): string => `${id} (cache)`;
