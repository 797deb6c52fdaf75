import { openRoomsOf } from '../../contributions/index.js';
import { definePlugin, type Plugin, type Project, type Runtime, Stage } from '../../kernel/index.js';
import { peersOf } from '../../peers/index.js';
import { scopesOf } from '../../scope/index.js';
import { ctxKeyOf, provide } from '../context/index.js';
import {
  type Convention,
  type Handler,
  httpRoutes,
  mapHttpRoutes,
  serverOf,
  servesHttp,
} from '../http/index.js';
import { definedEndpoint } from '../http/internal.js';
import { type CtxRooms, DeferredRooms, reportMemberCounts } from './ctx-rooms.js';
import { wsOptions } from './options.js';
import type { Rooms } from './rooms.js';
import { isSocketEndpoint } from './socket.js';
import type { SocketSettings, Sockets } from './sockets.js';
import { upgrades, withOriginCheck } from './upgrades.js';

export type { CtxRooms } from './ctx-rooms.js';
export { wsOptions } from './options.js';
export type { Rooms } from './rooms.js';
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

const PACKAGE = 'fwkit';

/** A handshake is a GET request (RFC 6455 §4.1), so it uses the router, middlewares and errors of HTTP. */
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
  accepts: `import('${PACKAGE}').SocketEndpoint<unknown, unknown, unknown, unknown>`,
  missing: 'has no default export. Export a handler wrapped in ws().',
  unwrapped:
    'has a default export that is not wrapped. Wrap the handler in ws(), or move an HTTP route to api/ or web/.',
};

/** The same function for every version, so that a reload keeps the value and the services that read it. */
const makeRooms = (): CtxRooms => new DeferredRooms();

async function roomsOf(runtime: Runtime): Promise<Rooms> {
  const { joinPeers, Rooms } = await import('./rooms.js');
  const rooms = await runtime.getOrCreate('ws.rooms', () => new Rooms(peersOf(runtime).id));
  openRoomsOf(runtime).rooms = rooms;
  await runtime.getOrCreate('ws.peers', () => {
    joinPeers(rooms, peersOf(runtime));
    reportMemberCounts(rooms, peersOf(runtime));
  });
  return rooms;
}

/** The sockets of an app in this process. Created once, even if two versions ask at the same time. */
const socketsOf = (runtime: Runtime, settings: SocketSettings): Promise<Sockets> =>
  runtime.getOrCreate('ws.sockets', async () => {
    const [{ Sockets }, rooms, server] = await Promise.all([
      import('./sockets.js'),
      roomsOf(runtime),
      serverOf(runtime),
    ]);
    const sockets = new Sockets(server.upgrades, runtime, rooms, settings);
    server.onRetire((handover) => sockets.leave(handover));
    return sockets;
  });

/** Whether `ctx.rooms` exists: the project has sockets, and no value of its own with that name. */
const hasRooms = (project: Project): boolean =>
  project.files('ws').length > 0 &&
  ![...project.files('service'), ...project.files('di')].some(({ file }) => ctxKeyOf(file) === 'rooms');

const SUFFIX = /\.(get|post|put|patch|del|delete|head|options|all|ws)\.m?[jt]s$/;

/** Serves files in `ws/` as WebSocket endpoints below `/ws`. Without files, the server is not loaded. */
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
    provides: (project) => (hasRooms(project) ? { rooms: `import('${PACKAGE}').CtxRooms` } : {}),
    apply(hooks, settings) {
      routes.apply(hooks, {});

      hooks.resolve.tapPromise({ name: 'ws:rooms', stage: Stage.connect }, async (routes, project) => {
        if (hasRooms(project)) provide(project, 'rooms', makeRooms);
        return routes;
      });
      hooks.serve.tapPromise({ name: 'ws:rooms', stage: Stage.connected }, async ({ runtime, project }) => {
        if (!hasRooms(project)) return;
        const rooms: unknown = Reflect.get(scopesOf(project).outside, 'rooms');
        // A test may have replaced it.
        if (rooms instanceof DeferredRooms) rooms.open(await roomsOf(runtime), peersOf(runtime));
      });

      // Inside every other layer, so that other layers also see its errors.
      hooks.resolve.tapPromise({ name: 'ws:guard', stage: Stage.inside }, async (routes, project) => {
        for (const { file } of project.files('ws')) {
          const suffix = SUFFIX.exec(file)?.[1];
          if (suffix !== undefined)
            project.report(
              file,
              `is a socket, which has no method. Remove ".${suffix}" from its name.`,
              'FWK501',
            );
        }
        return mapHttpRoutes(routes, 'ws:guard', ({ kind, handler }) =>
          kind === 'ws' ? withOriginCheck(handler, settings.origins) : undefined,
        );
      });

      hooks.serve.tapPromise({ name: 'ws', stage: Stage.finish }, async (serving) => {
        const { runtime, project, onActivate, onStart, onClose } = serving;
        if (!servesHttp(runtime)) return;
        // A version without sockets may follow a version with sockets, whose sockets have to end.
        const state = await runtime.getOrCreate('ws', () => ({ hasSockets: false }));
        state.hasSockets ||= serving.routes.some(({ kind }) => kind === 'ws');
        if (!state.hasSockets) return;
        const sockets = await socketsOf(runtime, settings);
        onActivate(() => sockets.activate(project));
        onStart(() => sockets.start(project, settings));
        onClose(() => sockets.end(project, runtime));
      });
    },
  });
}
