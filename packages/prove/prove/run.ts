import { BootError, type CommandRun, type Flags } from 'fwkit/plugin';
import { MISTAKE } from '../policy/visitor.js';
import { QUIET } from '../quiet.js';
import { type Format, formatNames, isFormat, printed } from '../report/index.js';
import { keepStdout } from '../report/keep-stdout.js';
import { type Outcome, rulesOf, unknownReport } from './outcome.js';
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
  const format = formatOf(command.flags);
  // What the project prints while it is imported must not come between.
  const print = format === 'terminal' ? console.log : keepStdout();
  const outcome = await prove(command, performance.now()).catch((thrown: unknown) => {
    // Who reads JSON is told there, too, why it cannot be said.
    if (format === 'json' && thrown instanceof BootError)
      print(JSON.stringify(unknownReport(thrown), null, 2));
    throw thrown;
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

const wrong = (message: string): BootError => new BootError({ message, code: MISTAKE });
