import { BootError, type CommandRun } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { keepStdout } from '../report/keep-stdout.js';
import { orAsJson } from '../report/or-as-json.js';
import { type Answer, answer } from './answer.js';
import { line, page } from './lines.js';
import { survey } from './survey.js';

/** `fwk reach [route]`: what each route can touch. The status is 2 where that cannot be said. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const isJson = command.flags.json === true;
  // What the project prints while it is imported must not come between.
  const print = isJson ? keepStdout() : console.log;
  const asked = command.operands.join(' ').trim();
  const found = await orAsJson(isJson, print, () => reached(command, asked));
  process.exitCode = 0;
  if (isJson) return print(JSON.stringify(found, null, 2));
  const { routes, excess } = found;
  const lines = routes.length === 1 && asked !== '' ? routes.flatMap(page) : routes.map(line);
  for (const one of lines) print(one);
  for (const { label, problem, fix } of excess) print(`✗ ${label} ${problem}. ${fix}`);
}

/** Rejects with a BootError where no route is the one that is asked for. */
async function reached({ open }: CommandRun, asked: string): Promise<Answer> {
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  try {
    const found = answer(await survey(resolved), asked);
    if (typeof found === 'string') throw new BootError({ message: `fwk reach: ${found}`, code: 'FWK603' });
    return found;
  } finally {
    await resolved.close();
  }
}
