import { BootError, type CommandRun, type Flags, type Resolved } from 'fwkit/plugin';
import type { Checked } from '../policy/check.js';
import { checkPolicy, readPolicy } from '../policy/check-policy.js';
import { type Ask, type Finding, grouped, type Proof } from '../policy/findings.js';
import { describeRule } from '../policy/rule.js';
import type { ProbeOptions } from '../probe/probe.js';
import { keepStdout, orAsJson, QUIET } from '../report/command-output.js';
import { type Format, formatNames, isFormat, printed } from '../report/index.js';
import { type Outcome, type Probed, reportOf } from '../report/outcome.js';
import { BASELINE, outcomeOf, writeBaseline } from './baseline.js';
import { findReads } from './reads.js';

/** Exit codes: the policy holds, it is violated, it could not be checked. */
const HOLDS = 0;
const VIOLATED = 1;
const UNKNOWN = 2;

/** `fwk prove`: check the project against its policy, and print a report. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = UNKNOWN;
  const { json, format: asked = 'terminal', baseline } = command.flags;
  const isJson = json === true || asked === 'json';
  // Output of the project's modules must not mix with the report.
  const print = isJson || asked !== 'terminal' ? keepStdout() : console.log;
  const [format, outcome] = await orAsJson(isJson, print, async () => {
    const format = formatOf(command.flags);
    return [format, await prove(command, performance.now())] as const;
  });
  const findings = [...reportOf(outcome).findings, ...outcome.known];
  if (baseline === true) await writeBaseline(outcome.root, findings);
  for (const line of printed(outcome, format)) print(line);
  if (baseline === true) console.error(`${BASELINE} has ${findings.length} findings now.`);
  process.exitCode = baseline === true || findings.length === outcome.known.length ? HOLDS : VIOLATED;
}

async function prove(command: CommandRun, began: number): Promise<Outcome> {
  const { flags, paths } = command;
  const resolved = await (await command.open({ purpose: 'build', logger: QUIET })).resolve();
  const { project, routes, close } = resolved;
  try {
    const read = await readPolicy(project);
    const all = checkPolicy(read, routes, project, await findReads(read, resolved));
    const since = typeof flags.since === 'string' ? flags.since : undefined;
    const checked =
      since === undefined ? all : await reachedSince(all, project.display(read.entry.file), resolved, since);
    const isProbed = flags.static !== true;
    const thorough = flags.thorough === true;
    const probed = isProbed ? await probeFor(command, checked, { project, routes, thorough }) : undefined;
    const isWhole = isProbed && since === undefined;
    return await outcomeOf({ checked, probed, routes, root: paths().root, began, isWhole });
  } finally {
    await close();
  }
}

/** The results for the routes that a change reaches. All of them if the change edits the policy, or may reach anything. */
async function reachedSince(
  checked: readonly Checked[],
  policy: string,
  { project, routes }: Pick<Resolved, 'project' | 'routes'>,
  since: string,
): Promise<readonly Checked[]> {
  const [{ findChanges }, { findImpact, reachedOf }] = await Promise.all([
    import('../impact/changes.js'),
    import('../impact/find-impact.js'),
  ]);
  const changes = await findChanges(project.root, { files: [], since });
  if (changes.changes.some(({ file }) => file === policy)) return checked;
  const impact = await findImpact({ project, routes }, { ...changes, since });
  if (impact.everything.length > 0) return checked;
  const labels = new Set(reachedOf(impact).map(({ label }) => label));
  const isReached = (label: string | undefined): boolean => label === undefined || labels.has(label);
  return checked.map((one) => ({
    ...one,
    findings: one.findings.filter(({ route }) => isReached(route)),
    asks: one.asks.filter(({ target }) => isReached(target.label)),
    open: one.open.filter(({ target }) => isReached(target.label)),
    excused: one.excused.filter(({ asks }) => asks.some(({ target }) => isReached(target.label))),
  }));
}

function formatOf({ json, format, baseline, since, static: isStatic }: Flags): Format {
  const wrong = (message: string): BootError => new BootError({ message, code: 'FWK603' });
  const name = String(format ?? (json === true ? 'json' : 'terminal'));
  if (json === true && name !== 'json')
    throw wrong(`--json and --format ${name} ask for two formats. Give one.`);
  if (!isFormat(name)) throw wrong(`--format takes ${formatNames.join(', ')}, not "${name}".`);
  if (baseline === true && (isStatic === true || since !== undefined))
    throw wrong('--baseline needs all findings. Leave out --static and --since.');
  return name;
}

/** Send the requests that `checked` needs. Rejects with a BootError if the project does not boot for them. */
export async function probeFor(
  command: CommandRun,
  checked: readonly Checked[],
  options: ProbeOptions,
): Promise<Probed> {
  const own = checked.flatMap(({ asks, placeOf }) => asks.map((ask) => ({ ask, placeOf })));
  const asks = own.map(({ ask }) => ask);
  const excused = checked.flatMap((one) => one.excused);
  const open = checked.flatMap((one) => one.open);
  const all = [...asks, ...[...excused, ...open].flatMap((one) => one.asks)];
  if (all.length === 0) return { findings: [], proven: [], requests: 0, environment: [] };
  // The static part does without the modules that serve and send.
  const { probe } = await import('../probe/probe.js');
  const { answers, requests, environment } = await probe(command, all, options);
  const findings: Finding[] = [];
  const proven: Proof[] = [];
  for (const { ask, placeOf } of own) {
    const { rule, target } = ask;
    const about = { rule: describeRule(rule), route: target.label };
    const { verdict, status } = answers.get(ask) ?? {};
    const visitor = ask.visitor.name;
    if (verdict) findings.push({ ...about, ...placeOf(target), visitor, ...verdict });
    else proven.push({ ...about, by: `probe ${status ?? ''}`.trimEnd() });
  }
  const areRefused = (refusals: readonly Ask[]): boolean =>
    refusals.every((ask) => answers.get(ask)?.verdict === undefined);
  findings.push(...excused.filter((one) => areRefused(one.asks)).map(({ stale }) => stale));
  findings.push(...closedOf(checked, areRefused));
  return { findings, proven, requests, environment };
}

/** Public routes to which every visitor is refused anyway, a finding each. */
function* closedOf(
  checked: readonly Checked[],
  areRefused: (refusals: readonly Ask[]) => boolean,
): Generator<Finding> {
  const open = checked.flatMap((one) => one.open.map((route) => ({ ...one, ...route })));
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
      problem: `has .meta({ public }) (${first.why}) without effect: it refuses ${names} anyway`,
      fix: 'Remove it.',
    };
  }
}
