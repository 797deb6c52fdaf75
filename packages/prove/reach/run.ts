import { BootError, type CommandRun } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { keepStdout } from '../report/keep-stdout.js';
import { answer } from './answer.js';
import { line, page } from './lines.js';
import { survey } from './survey.js';

/** `fwk reach [route]`: what each route can touch. */
export async function run({ flags, operands, open }: CommandRun): Promise<void> {
  // What the project prints while it is imported must not come between.
  const print = flags.json === true ? keepStdout() : console.log;
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  try {
    const asked = operands.join(' ').trim();
    const found = answer(await survey(resolved), asked);
    if (typeof found === 'string') {
      process.exitCode = 2;
      throw new BootError({ message: `fwk reach: ${found}`, code: 'FWK603' });
    }
    if (flags.json === true) return print(JSON.stringify(found, null, 2));
    const { routes, excess } = found;
    const lines = routes.length === 1 && asked !== '' ? routes.flatMap(page) : routes.map(line);
    for (const one of lines) print(one);
    for (const { label, problem, fix } of excess) print(`✗ ${label} ${problem}. ${fix}`);
  } finally {
    await resolved.close();
  }
}
