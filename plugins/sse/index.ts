import {
  type BaseRoute,
  definePlugin,
  type Plugin,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import { isHttpRoute, mapHttpRoutes, serverOf, servesHttp } from '../http/index.js';
import { Streams, serve, sseOptions } from './streams.js';

export type {
  EventFields,
  EventSchemas,
  EventStream,
  Events,
  EventsDefinition,
  EventsHandler,
} from './events.js';
export { sse } from './sse.js';
export { sseOptions } from './streams.js';

const STREAMS = slotKey<Streams>('sse.streams');

/** Endpoints created by `sse()` send events. */
export function serverSentEvents(): Plugin {
  return definePlugin({
    name: 'sse',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: sseOptions,
    apply(hooks, settings) {
      const streamsOf = (project: Project): Streams =>
        project.slot(STREAMS, () => new Streams(settings, project.logger, project.clock));

      hooks.resolve.tapPromise({ name: 'sse', stage: Stage.wrap }, async (routes, project) => {
        if (!routes.some(sendsEvents)) return routes;
        const streams = streamsOf(project);
        return mapHttpRoutes(routes, 'sse', ({ handler, meta }) =>
          meta.sse
            ? (req, res, ctx) => {
                serve(req, streams);
                return handler(req, res, ctx);
              }
            : undefined,
        );
      });

      hooks.serve.tapPromise(
        { name: 'sse', stage: Stage.finish },
        async ({ runtime, routes, project, onClose }) => {
          if (!routes.some(sendsEvents)) return;
          const streams = streamsOf(project);
          // A browser reconnects: after a reload, to the new code.
          onClose(() => streams.close());
          // A shutdown waits for responses, and these would not end otherwise.
          const serving = await runtime.getOrCreate('sse.serving', async () => {
            const all = new Set<Streams>();
            if (servesHttp(runtime))
              (await serverOf(runtime)).onRetire((handover) =>
                Promise.all([...all].map((one) => one.leave(handover))),
              );
            runtime.onClose(() => {
              for (const one of all) one.close();
            });
            return all;
          });
          serving.add(streams);
          onClose(() => serving.delete(streams));
        },
      );
    },
  });
}

const sendsEvents = (route: BaseRoute): boolean => isHttpRoute(route) && Boolean(route.meta.sse);
