import { BootError, type CommandRun } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { keepStdout } from '../report/keep-stdout.js';
import { line, page } from './lines.js';
import { noSuchRoute, selected } from './select.js';
import { survey } from './survey.js';

/** `fwk reach [route]`: what each route can touch. */
export async function run({ flags, operands, open }: CommandRun): Promise<void> {
  // What the project prints while it is imported must not come between.
  const print = flags.json === true ? keepStdout() : console.log;
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  try {
    const { reachables, describer, broken } = await survey(resolved);
    const asked = operands.join(' ');
    const chosen = asked === '' ? reachables : selected(reachables, asked);
    if (asked !== '' && chosen.length === 0) {
      process.exitCode = 2;
      throw new BootError({ message: `fwk reach: ${noSuchRoute(reachables, asked)}`, code: 'FWK603' });
    }
    const routes = chosen.map((one) => describer.reach(one));
    const labels = new Set(routes.map(({ route }) => route));
    const excess = broken.filter(({ label }) => labels.has(label));
    if (flags.json === true) return print(JSON.stringify({ version: 1, routes, excess }, null, 2));
    const lines = routes.length === 1 && asked !== '' ? routes.flatMap(page) : routes.map(line);
    for (const one of lines) print(one);
    for (const { label, problem, fix } of excess) print(`✗ ${label} ${problem}. ${fix}`);
  } finally {
    await resolved.close();
  }
}
