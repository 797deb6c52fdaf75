import { appNameOf, connectMachines, type EngineOptions, engineOptions, isAppName } from 'fwkit/peers';
import { definePlugin, machinePeersOf, type Plugin, Stage } from 'fwkit/plugin';
import { mistakeIn, type PostgresClient } from './client.js';

export type { Answer, PostgresClient, Query } from './client.js';

/** How an app connects to PostgreSQL. */
export interface PostgresConnection {
  /** Creates a client without connecting it: `() => new pg.Client(url)`. Called for each connection; a process has two. */
  readonly client: () => PostgresClient;
  /** The name of the app in the database. Default: the name in package.json, followed by the mode outside of production. */
  readonly name?: string;
  /** Whether to create missing tables at startup. Default: true. With `false`, the startup error contains the SQL statements. */
  readonly migrate?: boolean;
}

/** `postgres` in `fwk.config`. */
export type PostgresOptions = EngineOptions;

/**
 * Connects the machines of an app through PostgreSQL: all processes with the same database share rooms, sessions and the `peers` of
 * services. An alternative to Redis.
 */
export const postgres = ({ client, name, migrate = true }: PostgresConnection): Plugin =>
  definePlugin({
    name: 'postgres',
    options: engineOptions,
    optionsType: "import('@fwkit/postgres').PostgresOptions",
    apply(hooks, settings) {
      hooks.resolve.tapPromise({ name: 'postgres', stage: Stage.connect }, async (routes, project) => {
        const mistake = mistakeIn(client);
        if (mistake !== undefined) project.report('fwk.config', mistake, 'FWK820');
        if (name !== undefined && !isAppName(name))
          project.report(
            'fwk.config',
            'postgres({ name }) must be a string of letters, digits and @ . / ~ _ -.',
            'FWK820',
          );
        // Otherwise only a start that connects would report that the app has no name. Throwing would hide the other mistake.
        if (name === undefined && mistake === undefined && project.mode !== 'test')
          await appNameOf(project, 'postgres');
        return routes;
      });

      hooks.serve.tapPromise({ name: 'postgres', stage: Stage.connect }, async (serving) => {
        const { runtime, project } = serving;
        const make = async () => {
          const { PostgresEngine } = await import('./engine.js');
          return new PostgresEngine({
            makeClient: client,
            name: name ?? (await appNameOf(project, 'postgres')),
            migrate,
            machine: machinePeersOf(runtime).machine,
            process: machinePeersOf(runtime).id,
            settings,
            logger: project.logger,
          });
        };
        await connectMachines(serving, {
          name: 'postgres',
          settings,
          make,
          given: { client, name, migrate },
        });
      });
    },
  });
