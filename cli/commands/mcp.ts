import { silentLogger } from '../../app/loggers.js';
import { describeWithCode } from '../../app/report-problems.js';
import type { CommandRun } from '../../contributions/index.js';
import { offeringOf, sessionWarning } from '../../plugins/mcp/index.js';
import { openSources } from '../project.js';
import { withoutOutput } from '../terminal/mute.js';
import { listOffering, NO_OFFERING } from '../terminal/report.js';

export async function run({ flags, paths }: CommandRun): Promise<void> {
  if (flags.stdio === true) return (await import('../dev/mcp-stdio.js')).serveStdio(paths());
  const { project, close } = await withoutOutput(async () =>
    (await openSources(paths(), { logger: silentLogger, purpose: 'build' })).resolve(),
  );
  const surface = offeringOf(project);
  for (const line of listOffering(surface?.table, await surface?.skills?.entries())) console.log(line);
  if (!surface) console.error(describeWithCode(NO_OFFERING));
  const warning = sessionWarning(project);
  if (warning !== undefined) console.error(describeWithCode(warning));
  await withoutOutput(close);
}
