import { BootError, type CommandRun, isObject, type Resolved } from 'fwkit/plugin';
import { QUIET } from '../report/command-output.js';

/** A step of `fwk build` that fails if a route reaches more than its `.meta({ may })` allows. */
export async function run({ open }: CommandRun, { routes }: Resolved): Promise<void> {
  if (!routes.some((route) => 'meta' in route && isObject(route.meta) && route.meta.may !== undefined))
    return;
  // Compiled code lacks the lines and some names of the sources.
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  const { survey } = await import('./survey.js');
  const { excess } = await survey(resolved).finally(() => resolved.close());
  const problems = excess.map(({ label, file, problem, fix }) => ({
    file,
    message: `${label} ${problem}. ${fix}`,
  }));
  if (excess.length > 0) throw new BootError(problems.map((one) => ({ ...one, code: 'FWK865' })));
}
