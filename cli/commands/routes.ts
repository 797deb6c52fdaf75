import { silentLogger } from '../../kernel/host.js';
import { openSources, placeOf } from '../project.js';
import { quietly } from '../terminal/mute.js';
import { listRoutes } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Boot the app with logging silenced, print its routes, and end what it started. */
export async function run(flags: Flags): Promise<void> {
  const { routes, project, close } = await quietly(async () =>
    (await openSources(placeOf(flags), { logger: silentLogger })).resolve(),
  );
  for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  await quietly(close);
}
