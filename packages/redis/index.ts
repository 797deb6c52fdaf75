import { appNameOf, connectMachines, type EngineOptions, engineOptions, isAppName } from 'fwkit/peers';
import { definePlugin, machinePeersOf, type Plugin, Stage } from 'fwkit/plugin';
import type { RedisClient } from './client.js';

export type { IoRedisClient, NodeRedisClient, RedisClient } from './client.js';

/** `redis` in `fwk.config`. */
export type RedisOptions = EngineOptions;

/** The argument of `redis()`. */
export interface RedisPluginOptions {
  /** Creates a client of `@redis/client` or `ioredis` without connecting it. Called for each connection. */
  readonly client: () => RedisClient;
  /**
   * The name that all processes of the app share, and that differs for each app: the app's keys in Redis contain it. Default: the name in
   * package.json, with `.development` or `.test` outside of production.
   */
  readonly name?: string;
}

/**
 * Connects all machines that use one Redis or Valkey: they share the rooms, sessions, memory, locks and MCP notifications of an app.
 * `plugins: [redis({ client: () => createClient({ url: process.env.REDIS_URL }) })]`
 */
export const redis = ({ client, name }: RedisPluginOptions): Plugin =>
  definePlugin({
    name: 'redis',
    options: engineOptions,
    optionsType: "import('@fwkit/redis').RedisOptions",
    apply(hooks, settings) {
      hooks.resolve.tapPromise({ name: 'redis', stage: Stage.connect }, async (routes, project) => {
        const isFunction = typeof client === 'function';
        if (!isFunction)
          project.report(
            'fwk.config',
            'redis({ client }) must be a function, such as () => createClient({ url }).',
            'FWK810',
          );
        if (name !== undefined && !isAppName(name))
          project.report(
            'fwk.config',
            'redis({ name }) must be a string of letters, digits and @ . / ~ _ -.',
            'FWK810',
          );
        // Otherwise only a start that connects would report that the app has no name. Throwing would hide the other mistake.
        if (name === undefined && isFunction && project.mode !== 'test') await appNameOf(project, 'redis');
        return routes;
      });

      hooks.serve.tapPromise({ name: 'redis', stage: Stage.connect }, async (serving) => {
        const { runtime, project } = serving;
        const make = async () => {
          const { RedisEngine } = await import('./engine.js');
          const app = name ?? (await appNameOf(project, 'redis'));
          const { id, machine } = machinePeersOf(runtime);
          const { logger } = project;
          return new RedisEngine({ makeClient: client, name: app, process: id, machine, settings, logger });
        };
        await connectMachines(serving, { name: 'redis', settings, make, given: { client, name } });
      });
    },
  });
