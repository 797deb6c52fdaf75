import { BootError, type CommandRun, type Resolved } from 'fwkit/plugin';
import { QUIET } from '../report/command-output.js';
import { mayOf } from './reachable.js';

/** Part of `fwk build`: fails where a route reaches more than its `.meta({ may })` says. */
export async function run({ open }: CommandRun, { routes }: Resolved): Promise<void> {
  if (!routes.some((route) => mayOf(route) !== undefined)) return;
  // What is compiled has neither the lines nor all the names of the sources.
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  try {
    const { survey } = await import('./survey.js');
    const { broken } = await survey(resolved);
    if (broken.length === 0) return;
    throw new BootError(
      broken.map(({ label, file, problem, fix }) => ({
        file: resolved.project.display(file),
        message: `${label} ${problem}. ${fix}`,
        code: 'FWK865',
      })),
    );
  } finally {
    await resolved.close();
  }
}
