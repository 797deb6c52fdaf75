import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import {
  type Convention,
  definedEndpoint,
  type Handler,
  httpRoutes,
  mapHttpRoutes,
  serverOf,
  servesHttp,
} from '../http/index.js';
import { guarded } from './guard.js';
import { wsOptions } from './options.js';
import { joinPeers } from './peers.js';
import { isSocketEndpoint } from './socket.js';
import type { Sockets } from './sockets.js';
import { upgrades } from './upgrades.js';

export { wsOptions } from './options.js';
export type { Carrier, Member, Rooms } from './rooms.js';
export {
  type Closing,
  type Message,
  type Sendable,
  type Socket,
  type SocketDefinition,
  type SocketEndpoint,
  type SocketHandler,
  ws,
} from './socket.js';
export type { SocketFailure, SocketInfo } from './socket-info.js';

/** A handshake is a GET (RFC 6455 §4.1): router, middlewares and errors are those of HTTP. */
const convention: Convention = {
  verb: 'WS',
  suffixes: {},
  endpointOf: (exported, project) => {
    if (!isSocketEndpoint(exported)) return undefined;
    const { handler, metadata, definition } = exported;
    const accept: Handler = (req, res, ctx) =>
      upgrades.get(res.raw)?.({ handler, definition, req, res, ctx, project });
    return definition
      ? definedEndpoint('GET', definition, accept).meta(metadata)
      : { method: 'GET', metadata, handler: accept };
  },
  calls: (endpoint) => `{ readonly ws: ${endpoint} }`,
  missing: 'has no default export. Export a handler wrapped in ws().',
  unwrapped:
    'has a default export that is not wrapped. Wrap the handler in ws(), or move an HTTP route to api/ or web/.',
};

const SUFFIX = /\.(get|post|put|patch|del|delete|head|options|all|ws)\.m?[jt]s$/;

/** Files under `ws/` are WebSocket endpoints below `/ws`. Projects without any do not load what serves them. */
export function webSockets(): Plugin {
  const routes = httpRoutes({
    name: 'ws',
    directory: 'ws',
    mount: '/ws',
    convention,
  });
  return definePlugin({
    ...routes,
    guide: () => import('./guide.js'),
    options: wsOptions,
    apply(hooks, settings) {
      routes.apply(hooks, {});

      // Inside every other layer: those see the errors, too.
      hooks.resolve.tapPromise({ name: 'ws:guard', stage: Stage.inside }, async (routes, project) => {
        for (const { file } of project.files('ws')) {
          const suffix = SUFFIX.exec(file)?.[1];
          if (suffix !== undefined)
            project.report(file, `is a socket, which has no method. Take ".${suffix}" out of its name.`);
        }
        return mapHttpRoutes(routes, 'ws:guard', ({ kind, handler }) =>
          kind === 'ws' ? guarded(handler, settings.origins) : undefined,
        );
      });

      hooks.serve.tapPromise({ name: 'ws', stage: Stage.finish }, async (serving) => {
        const { runtime, project, onActivate, onStart, onClose } = serving;
        if (!servesHttp(runtime)) return;
        // A version without sockets may follow one that has some: those have to end with it.
        const state = await runtime.getOrCreate('ws', (): { sockets?: Sockets } => ({}));
        if (!state.sockets) {
          if (!serving.routes.some(({ kind }) => kind === 'ws')) return;
          const [{ Sockets }, { Rooms }, server] = await Promise.all([
            import('./sockets.js'),
            import('./rooms.js'),
            serverOf(runtime),
          ]);
          const rooms = await runtime.getOrCreate('ws.rooms', () => new Rooms());
          joinPeers(rooms, runtime.peers);
          const made = new Sockets(server.upgrades, runtime, rooms, settings);
          server.onRetire(() => made.leave());
          state.sockets = made;
        }
        const { sockets } = state;
        onActivate(() => sockets.activate(project));
        onStart(() => sockets.start(project, settings));
        onClose(() => sockets.end(project, runtime));
      });
    },
  });
}
