import { BootError, type CommandRun, type Flags, type Resolved } from 'fwkit/plugin';
import type { Checked } from '../policy/check.js';
import { checkPolicy, readPolicy } from '../policy/check-policy.js';
import { type Ask, type Finding, grouped, type Proof } from '../policy/findings.js';
import { describeRule } from '../policy/rule.js';
import { targetsOf } from '../policy/targets.js';
import type { ProbeOptions } from '../probe/probe.js';
import { QUIET, redirected } from '../report/command-output.js';
import { type Format, formatNames, isFormat, printed } from '../report/index.js';
import { type Outcome, type Probed, reportOf, rulesOf } from '../report/outcome.js';
import { BASELINE, withoutKnown, writeBaseline } from './baseline.js';

/** Exit codes: the policy holds, it is violated, it could not be checked. */
const HOLDS = 0;
const VIOLATED = 1;
const UNKNOWN = 2;

export async function run(command: CommandRun): Promise<void> {
  process.exitCode = UNKNOWN;
  const format = formatOf(command.flags);
  const { baseline } = command.flags;
  const outcome = await redirected(format !== 'terminal', () => prove(command));
  const findings = [...reportOf(outcome).findings, ...outcome.known];
  if (baseline === true) await writeBaseline(outcome.root, findings);
  for (const line of printed(outcome, format)) console.log(line);
  if (baseline === true) console.error(`${BASELINE} has ${findings.length} findings now.`);
  process.exitCode = baseline === true || findings.length === outcome.known.length ? HOLDS : VIOLATED;
}

export async function prove(command: CommandRun): Promise<Outcome> {
  const began = performance.now();
  const { flags, paths } = command;
  const resolved = await (await command.open({ purpose: 'build', logger: QUIET })).resolve();
  const { project, routes, close } = resolved;
  try {
    const read = await readPolicy(project);
    const isFollowed = read.policy.rules.some(({ keys }) => keys.length > 0);
    const reads = isFollowed ? await (await import('../reach/survey.js')).survey(resolved) : undefined;
    const keys = reads && new Map(reads.routes.map(({ route, ctx }) => [route, new Set(ctx)]));
    const all = checkPolicy(read, routes, project, keys);
    const since = typeof flags.since === 'string' ? flags.since : undefined;
    const checked =
      since === undefined ? all : await reachedSince(all, project.display(read.entry.file), resolved, since);
    const isProbed = flags.static !== true;
    const thorough = flags.thorough === true;
    const probed = isProbed ? await probeFor(command, checked, { project, routes, thorough }) : undefined;
    const outcome: Outcome = {
      rules: rulesOf(checked, probed),
      targets: targetsOf(routes),
      requests: probed?.requests ?? 0,
      environment: probed?.environment ?? [],
      known: [],
      fixed: [],
      isProbed,
      milliseconds: performance.now() - began,
      root: paths().root,
    };
    return await withoutKnown(outcome, isProbed && since === undefined);
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
    excuses: one.excuses.filter(({ asks }) => asks.some(({ target }) => isReached(target.label))),
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
  const excuses = checked.flatMap((one) => one.excuses);
  const all = [...own.map(({ ask }) => ask), ...excuses.flatMap((one) => one.asks)];
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
  const isRight = (ask: Ask): boolean => answers.get(ask)?.verdict === undefined;
  for (const [first, ...others] of grouped(excuses, ({ key }) => key))
    if (first && [first, ...others].every(({ asks }) => asks.every(isRight))) findings.push(first.stale);
  return { findings, proven, requests, environment };
}
