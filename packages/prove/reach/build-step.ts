import { BootError, type CommandRun, isObject, type Resolved } from 'fwkit/plugin';
import { QUIET } from '../report/command-output.js';

/** Part of `fwk build`: fails if a route reaches more than its `.meta({ may })` allows. */
export async function run({ open }: CommandRun, { routes }: Resolved): Promise<void> {
  if (!routes.some((route) => 'meta' in route && isObject(route.meta) && route.meta.may !== undefined))
    return;
  // Compiled code has neither the lines nor all the names of the sources.
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  const { survey } = await import('./survey.js');
  const { excess } = await survey(resolved).finally(() => resolved.close());
  if (excess.length === 0) return;
  throw new BootError(
    excess.map(({ label, file, problem, fix }) => ({
      file,
      message: `${label} ${problem}. ${fix}`,
      code: 'FWK865',
    })),
  );
}
