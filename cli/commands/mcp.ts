import { silentLogger } from '../../kernel/host.js';
import { sessionWarning, surfaceOf } from '../../plugins/mcp/index.js';
import { openSources, placeOf } from '../project.js';
import { quietly } from '../terminal/mute.js';
import { listSurface, NO_SURFACE } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Print what the project offers over MCP, or serve it over stdio. */
export async function run(flags: Flags): Promise<void> {
  if (flags.stdio === true) return (await import('../dev/mcp-stdio.js')).serveStdio(placeOf(flags));
  const { project, close } = await quietly(async () =>
    (await openSources(placeOf(flags), { logger: silentLogger })).resolve(),
  );
  const surface = surfaceOf(project);
  if (surface) for (const line of listSurface(surface.table)) console.log(line);
  else console.error(NO_SURFACE);
  const warning = sessionWarning(project);
  if (warning !== undefined) console.error(warning);
  await quietly(close);
}
