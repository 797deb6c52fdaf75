import { channel } from 'node:diagnostics_channel';
import { option } from '../../contributions/index.js';
import { coded, definePlugin, type Plugin, type Project, Stage, slotKey } from '../../kernel/index.js';
import { type Peers, peersOf } from '../../peers/index.js';
import { settledWithin } from '../context/index.js';
import { type Handler, type HttpRoute, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import type { Cache } from './cached.js';
import { type CacheMeta, cacheMistake, lifetimeOf } from './meta.js';
import type { SharedEntries } from './shared-entries.js';

export type { CacheMeta } from './meta.js';

const INNER = slotKey<Inner[]>('cache.inner');
const CACHE = slotKey<Cache>('cache');

export const cacheOptions = {
  /** Maximum size of all cached responses in a process, in bytes; the least recently used are evicted. */
  maxSize: option.integer(67_108_864, { unit: 'bytes' }),
  /** Maximum size of a cached response, in bytes. */
  maxEntry: option.integer(1_048_576, { unit: 'bytes' }),
  /** The name for sharing responses between processes, a new one for each release. `false`: not shared. */
  shared: option.custom<string | false>(
    false,
    'false, or a name of at most 200 characters for the release',
    (value): value is string | false =>
      value === false || (typeof value === 'string' && value !== '' && value.length <= 200),
  ),
};

/** The handler of a cached route, inside only the layers that make its result a response for everyone. */
interface Inner {
  readonly route: HttpRoute;
  handler: Handler;
}

const TOPIC = 'cache.purge';
/** Maximum memory for tags if this machine stores the shared responses, in bytes. */
const TAGS_BYTES = 4_194_304;
/** How long a version that ends waits for running computations, in milliseconds. */
const END_TIMEOUT_MS = 10_000;

/** Lets routes with `.meta({ cache })` reuse a response. Without such routes, the code is not loaded. */
export function cache(): Plugin {
  return definePlugin({
    name: 'cache',
    needs: ['http'],
    options: cacheOptions,
    apply(hooks, settings) {
      const innerOf = (project: Project): Inner[] => project.slot(INNER, () => []);
      const cacheOf = async (project: Project): Promise<Cache> => {
        const { Cache } = await import('./cached.js');
        return project.slot(CACHE, () => new Cache(project, settings));
      };

      const sharedBy = async (peers: Peers, project: Project): Promise<SharedEntries | undefined> => {
        const { shared: name, maxSize } = settings;
        if (name === false) return undefined;
        const { SharedEntries } = await import('./shared-entries.js');
        const lifetimes = innerOf(project).map(({ route: { meta } }) =>
          lifetimeOf(meta.cache ?? { maxAge: 0 }),
        );
        // In the memory of this machine, texts take two bytes per character.
        const memory = peers.memory(`cache.${name}`, { maxBytes: 3 * maxSize + TAGS_BYTES });
        return new SharedEntries({ memory, maxSize, lifetime: Math.max(...lifetimes), clock: project.clock });
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

      // Runs where results become responses, so that all waiting requests share one computation.
      hooks.resolve.tapPromise({ name: 'cache:inner', stage: Stage.trim }, async (routes, project) => [
        ...routes,
        ...innerOf(project).map(({ route }) => ({ ...route, id: innerId(route), layers: [] })),
      ]);
      hooks.resolve.tapPromise(
        { name: 'cache:computed', stage: Stage.responded },
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
        const peers = peersOf(runtime);
        const shared = peers.span === 'process' ? undefined : await sharedBy(peers, project);
        if (shared) store.share(shared);
        const ends = [
          onPurge((tags) => {
            store.purge(tags);
            shared?.purge(tags);
            peers.send(TOPIC, tags);
          }),
          peers.on(TOPIC, (tags) => store.purge(Array.isArray(tags) ? tags.map(String) : [])),
        ];
        onClose(async () => {
          await settledWithin(store.idle(), END_TIMEOUT_MS);
          for (const end of ends) end();
          shared?.close();
        });
      });
    },
  });
}

const innerId = ({ id }: HttpRoute): string => `${id} (cache)`;

/** Reaches every app in the process, and every copy of this package. */
const purges = channel('fwkit.cache.purge');

/**
 * Remove the cached responses of routes with `.meta({ cache: { tags } })` that have one of `tags`:
 * immediately in this process, and in other workers as soon as the message arrives. Responses that
 * are being computed are not cached either.
 */
export function purge(...tags: string[]): void {
  if (tags.length === 0 || !tags.every((tag) => typeof tag === 'string'))
    throw coded('FWK406', "purge() takes the tags of the responses to remove: purge('books')");
  purges.publish(tags);
}

/** Call `drop` for each purge. Returns a function that unsubscribes. */
function onPurge(drop: (tags: readonly string[]) => void): () => void {
  const listener = (tags: unknown): void => drop(tags as readonly string[]);
  purges.subscribe(listener);
  return () => void purges.unsubscribe(listener);
}
