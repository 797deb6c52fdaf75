import { silentLogger } from '../../app/loggers.js';
import { openSources, pathsOf } from '../project.js';
import { withoutOutput } from '../terminal/mute.js';
import { listRoutes } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Boot the app with logging silenced, print its routes, and end what it started. */
export async function run(flags: Flags): Promise<void> {
  const { routes, project, close } = await withoutOutput(async () =>
    (await openSources(pathsOf(flags), { logger: silentLogger })).resolve(),
  );
  for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  await withoutOutput(close);
}
