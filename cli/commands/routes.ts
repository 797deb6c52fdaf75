import { silentLogger } from '../../kernel/host.js';
import type { Flags } from '../command.js';
import { openSources, placeOf } from '../project.js';
import { quietly } from '../quietly.js';
import { listRoutes } from '../report.js';

/** Boot the app with logging silenced, print its routes, and end what it started. */
export async function run(flags: Flags): Promise<void> {
  const { routes, project, close } = await quietly(async () =>
    (await openSources(placeOf(flags), { logger: silentLogger })).resolve(),
  );
  for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  await quietly(close);
}
