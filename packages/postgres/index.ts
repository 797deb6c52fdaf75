import { appNameOf, connectMachines, type EngineOptions, engineOptions, isAppName } from 'fwkit/peers';
import { definePlugin, machinePeersOf, type Plugin, Stage } from 'fwkit/plugin';
import { mistakeIn, type PostgresClient } from './client.js';

export type { Answer, PostgresClient, Query } from './client.js';

/** How an app connects to PostgreSQL. */
export interface PostgresConnection {
  /** Makes a client that is not connected: `() => new pg.Client(url)`. Called for each connection; a process has two. */
  readonly client: () => PostgresClient;
  /** What the app is called among those of the database. Default: the name in package.json, with the mode where that is not production. */
  readonly name?: string;
  /** Whether tables that are missing are made at boot. Default: true. With `false` the error of the boot has the statements. */
  readonly migrate?: boolean;
}

/** `postgres` in `fwk.config`. */
export type PostgresOptions = EngineOptions;

/**
 * Connects the machines of an app by PostgreSQL: rooms, sessions, `peers` of services and what else processes have in common span all
 * that connect to one database. For those who run no Redis.
 */
export const postgres = ({ client, name, migrate = true }: PostgresConnection): Plugin =>
  definePlugin({
    name: 'postgres',
    options: engineOptions,
    types: () => ({
      declarations:
        "  interface Config {\n    readonly postgres?: import('@fwkit/postgres').PostgresOptions;\n  }\n",
    }),
    apply(hooks, settings) {
      hooks.resolve.tapPromise({ name: 'postgres', stage: Stage.connect }, async (routes, project) => {
        const mistake = mistakeIn(client);
        if (mistake !== undefined) project.report('fwk.config', mistake, 'FWK820');
        if (name !== undefined && !isAppName(name))
          project.report(
            'fwk.config',
            'has postgres({ name }), which takes a text of letters, digits and @ . / ~ _ -.',
            'FWK820',
          );
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
