import { silentLogger } from '../../kernel/host.js';
import type { Flags } from '../command.js';
import { openSources, placeOf } from '../project.js';
import { listRoutes } from '../report.js';

/** Boot the app with logging silenced, print its routes, and end what it started. */
export async function run(flags: Flags): Promise<void> {
  const { routes, project, close } = await quietly(async () =>
    (await openSources(placeOf(flags), { logger: silentLogger })).resolve(),
  );
  for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  await quietly(close);
}

/** Run project code without a word of its own: stdout is for the table. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug, warn, error } = console;
  const silence = (): void => {};
  Object.assign(console, { log: silence, info: silence, debug: silence, warn: silence, error: silence });
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug, warn, error });
  }
}
