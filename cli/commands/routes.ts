import { silentLogger } from '../../app/loggers.js';
import type { CommandRun } from '../../contributions/index.js';
import { additionsTo, runAddition, selectedSteps } from '../command-line.js';
import { openSources } from '../project.js';
import { withoutOutput } from '../terminal/mute.js';
import { listRoutes } from '../terminal/report.js';

/** Print the routes, or the output that a plugin's flag asks for. Creates no services, because their secrets may be missing. */
export async function run(command: CommandRun): Promise<void> {
  const { flags, paths } = command;
  const { plugins, resolved } = await withoutOutput(async () => {
    const kernel = await openSources(paths(), { logger: silentLogger, purpose: 'build' });
    return { plugins: kernel.plugins, resolved: await kernel.resolve() };
  });
  const { routes, project, close } = resolved;
  const additions = selectedSteps(additionsTo('routes', plugins), flags);
  for (const addition of additions) await runAddition(addition, command, resolved);
  if (additions.length === 0)
    for (const line of listRoutes(routes, project, flags.verbose === true)) console.log(line);
  // Not on stdout, because programs read the routes there.
  if (additions.length === 0 && routes.length === 0)
    console.error('There are no routes: no convention that is switched on has a file of one.');
  await withoutOutput(close);
}
