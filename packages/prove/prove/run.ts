import { BootError, type CommandRun, type Flags } from 'fwkit/plugin';
import { QUIET } from '../quiet.js';
import { type Format, formatNames, isFormat, printed } from '../report/index.js';
import { keepStdout } from '../report/keep-stdout.js';
import { orAsJson } from '../report/or-as-json.js';
import { type Outcome, rulesOf } from './outcome.js';
import { probeFor } from './probed.js';
import { readPolicy } from './read-policy.js';
import { checkPolicy } from './static-part.js';
import { targetsOf } from './targets.js';

/** Exit codes: the policy holds, it does not, it cannot be said. */
const HOLDS = 0;
const DOES_NOT_HOLD = 1;
const UNKNOWN = 2;

/** `fwk prove`: hold the project against its policy, and print what came of it. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = UNKNOWN;
  const { json, format: asked = 'terminal' } = command.flags;
  const isJson = json === true || asked === 'json';
  // What the project prints while it is imported must not come between.
  const print = isJson || asked !== 'terminal' ? keepStdout() : console.log;
  const [format, outcome] = await orAsJson(isJson, print, async () => {
    const format = formatOf(command.flags);
    return [format, await prove(command, performance.now())] as const;
  });
  for (const line of printed(outcome, format)) print(line);
  process.exitCode = outcome.rules.some(({ findings }) => findings.length > 0) ? DOES_NOT_HOLD : HOLDS;
}

async function prove(command: CommandRun, began: number): Promise<Outcome> {
  const { project, routes, close } = await (
    await command.open({ purpose: 'build', logger: QUIET })
  ).resolve();
  try {
    const checked = checkPolicy(await readPolicy(project), routes, project);
    const isProbed = command.flags.static !== true;
    const thorough = command.flags.thorough === true;
    const probed = isProbed ? await probeFor(command, checked, { project, routes, thorough }) : undefined;
    return {
      rules: rulesOf(checked, probed),
      targets: targetsOf(routes),
      requests: probed?.requests ?? 0,
      isProbed,
      milliseconds: performance.now() - began,
    };
  } finally {
    await close();
  }
}

function formatOf({ json, format }: Flags): Format {
  const name = String(format ?? (json === true ? 'json' : 'terminal'));
  if (json === true && name !== 'json')
    throw wrong(`--json and --format ${name} ask for two formats. Give one.`);
  if (!isFormat(name)) throw wrong(`--format takes ${formatNames.join(', ')}, not "${name}".`);
  return name;
}

const wrong = (message: string): BootError => new BootError({ message, code: 'FWK603' });
