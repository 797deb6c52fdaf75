import { definePlugin, option, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { isHttpRoute, mapHttpRoutes } from '../http/index.js';
import { Streams, serve } from './streams.js';

export type { EventFields } from './event.js';
export type { Events, EventsHandler } from './events.js';
export { sse } from './sse.js';

export const sseOptions = {
  /** How often a line without meaning keeps a silent stream from being taken for dead; 0: never. */
  heartbeat: option.whole(15_000, { unit: 'milliseconds' }),
  /** How much may wait for a client that reads slowly before its stream is cut off. */
  backpressureLimit: option.whole(4_194_304, { unit: 'bytes' }),
};

/** Endpoints made by `sse()` send events. */
export function serverSentEvents(): Plugin {
  return definePlugin({
    name: 'sse',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: sseOptions,
    apply(hooks, settings) {
      const streams = new WeakMap<Project, Streams>();

      hooks.resolve.tapPromise({ name: 'sse', stage: Stage.wrap }, async (routes, project) => {
        if (!routes.some((route) => isHttpRoute(route) && route.meta.sse)) return routes;
        const open = new Streams(settings, project.logger);
        streams.set(project, open);
        return mapHttpRoutes(routes, 'sse', ({ handler, meta }) =>
          meta.sse
            ? (req, res, ctx) => {
                serve(req, open);
                return handler(req, res, ctx);
              }
            : undefined,
        );
      });

      hooks.serve.tapPromise({ name: 'sse', stage: Stage.finish }, async ({ runtime, project, onClose }) => {
        const open = streams.get(project);
        if (!open) return;
        // A browser connects again: after a reload, to the new code.
        onClose(() => open.close());
        // A shutdown waits for responses, and would wait for these.
        const serving = await runtime.getOrCreate('sse', () => {
          const kept = new Set<Streams>();
          runtime.onClose(() => {
            for (const one of kept) one.close();
          });
          return kept;
        });
        serving.add(open);
        onClose(() => serving.delete(open));
      });
    },
  });
}
