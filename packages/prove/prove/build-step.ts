import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BootError, type CommandRun } from 'fwkit/plugin';
import { terminalReport } from '../report/outcome.js';

/** Part of each `fwk build`: the static part of the policy. Throws a BootError if the policy is violated. */
export async function run(command: CommandRun): Promise<void> {
  const { root, source } = command.paths();
  // Checked first, because resolving the sources takes as long as the rest of the step.
  const files = ['ts', 'mts', 'js', 'mjs'].map((end) => join(source, `policy.${end}`));
  const file = files.find((one) => existsSync(one));
  if (file === undefined) return;
  const { prove } = await import('./run.js');
  // The policy names sources, and users fix sources.
  const outcome = await prove({ ...command, flags: { static: true } });
  const { length } = outcome.rules.flatMap(({ findings }) => findings);
  if (length === 0) return;
  for (const line of terminalReport(outcome)) console.log(line);
  throw new BootError({
    file: relative(root, file).replaceAll('\\', '/'),
    message: `is violated: ${length === 1 ? '1 finding' : `${length} findings`}, listed above. Fix the routes, or correct the policy.`,
    code: 'FWK861',
  });
}
