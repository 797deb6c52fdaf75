import { silentLogger } from '../../app/loggers.js';
import type { CommandRun } from '../../kernel/internal.js';
import { openSources } from '../project.js';
import { withoutOutput } from '../terminal/mute.js';
import { listRoutes } from '../terminal/report.js';

/** Boot the app with logging silenced, print its routes, and end what it started. */
export async function run({ flags, paths }: CommandRun): Promise<void> {
  const { routes, project, close } = await withoutOutput(async () =>
    (await openSources(paths(), { logger: silentLogger })).resolve(),
  );
  for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  await withoutOutput(close);
}
