import { type BaseRoute, BootError, type CommandRun, type Flags, type Project } from 'fwkit/plugin';
import type { Checked } from '../policy/check.js';
import { checkPolicy, readPolicy } from '../policy/check-policy.js';
import { type Ask, type Finding, grouped, type Proof } from '../policy/findings.js';
import { describeRule } from '../policy/rule.js';
import { targetsOf } from '../policy/targets.js';
import { keepStdout, orAsJson, QUIET } from '../report/command-output.js';
import { type Format, formatNames, isFormat, printed } from '../report/index.js';
import { type Outcome, type Probed, rulesOf } from '../report/outcome.js';

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

interface ProbedProject {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** Every route in every spelling. */
  readonly thorough: boolean;
}

/** Send the requests that `checked` asks for. Rejects with a BootError where the project does not boot for them. */
export async function probeFor(
  command: CommandRun,
  checked: readonly Checked[],
  { project, ...options }: ProbedProject,
): Promise<Probed> {
  const own = checked.flatMap(({ asks, placeOf }) => asks.map((ask) => ({ ask, placeOf })));
  const asks = own.map(({ ask }) => ask);
  const excused = checked.flatMap((one) => one.excused);
  const open = checked.flatMap((one) => one.open);
  const all = [...asks, ...[...excused, ...open].flatMap((one) => one.asks)];
  if (all.length === 0) return { findings: [], proven: [], requests: 0 };
  // With what sends and serves, which the static part does without.
  const { probe } = await import('../probe/probe.js');
  const { answers, requests } = await probe(command, all, { project, ...options });
  const findings: Finding[] = [];
  const proven: Proof[] = [];
  for (const { ask, placeOf } of own) {
    const { rule, target } = ask;
    const about = { rule: describeRule(rule), route: target.label };
    const { verdict, status } = answers.get(ask) ?? {};
    if (verdict) findings.push({ ...about, ...placeOf(target), ...verdict });
    else proven.push({ ...about, by: `probe ${status ?? ''}`.trimEnd() });
  }
  const areRefused = (refusals: readonly Ask[]): boolean =>
    refusals.every((ask) => answers.get(ask)?.verdict === undefined);
  findings.push(...excused.filter((one) => areRefused(one.asks)).map(({ stale }) => stale));
  findings.push(...closedOf(checked, areRefused));
  return { findings, proven, requests };
}

/** Public routes that all rules hold for all the same, in a finding each. */
function* closedOf(
  checked: readonly Checked[],
  areRefused: (refusals: readonly Ask[]) => boolean,
): Generator<Finding> {
  const open = checked.flatMap((one) =>
    one.open.map((route) => ({ ...route, text: one.text, placeOf: one.placeOf })),
  );
  for (const ofRoute of grouped(open, ({ target }) => target.route.id)) {
    const [first] = ofRoute;
    const asks = ofRoute.flatMap((one) => one.asks);
    if (!first || !areRefused(asks)) continue;
    const names = [...new Set(asks.map(({ visitor }) => visitor.name))].join(', ');
    yield {
      rule: first.text,
      route: first.target.label,
      ...first.placeOf(first.target),
      kind: 'stale',
      problem: `has .meta({ public }) (${first.why}) for nothing: it refuses ${names} all the same`,
      fix: 'Take it out.',
    };
  }
}
