import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BootError, type CommandRun, isObject, type Problem, type Resolved } from 'fwkit/plugin';
import { withProject } from './report/command-output.js';
import { counted, terminalReport } from './report/outcome.js';

/** Part of each `fwk build`. Throws a BootError if the policy is violated, or a route reaches more than its `.meta({ may })` allows. */
export async function run(command: CommandRun, { routes }: Resolved): Promise<void> {
  await proveStatically(command);
  if (routes.some((route) => 'meta' in route && isObject(route.meta) && route.meta.may !== undefined))
    await checkReach(command);
}

async function proveStatically(command: CommandRun): Promise<void> {
  const { root, source } = command.paths();
  // Checked first, because resolving the sources takes as long as the rest of the step.
  const files = ['ts', 'mts', 'js', 'mjs'].map((end) => join(source, `policy.${end}`));
  const file = files.find((one) => existsSync(one));
  if (file === undefined) return;
  const { prove } = await import('./prove/run.js');
  // The policy names sources, and users fix sources.
  const outcome = await prove({ ...command, flags: { static: true } });
  const { length } = outcome.rules.flatMap(({ findings }) => findings);
  if (length === 0) return;
  for (const line of terminalReport(outcome)) console.log(line);
  throw new BootError({
    file: relative(root, file).replaceAll('\\', '/'),
    message: `is violated: ${counted(length, 'finding')}, listed above. Fix the routes, or correct the policy.`,
    code: 'FWK861',
  });
}

async function checkReach(command: CommandRun): Promise<void> {
  const { survey } = await import('./reach/survey.js');
  // Compiled code lacks the lines and some names of the sources.
  const { excess } = await withProject(command, (resolved) => survey(resolved));
  const problems = excess.map(({ label, file, problem, fix }): Problem => {
    return { file, message: `${label} ${problem}. ${fix}`, code: 'FWK865' };
  });
  if (problems.length > 0) throw new BootError(problems);
}
