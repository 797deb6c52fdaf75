import type { BaseRoute, CommandRun, Project } from 'fwkit/plugin';
import { grouped } from '../grouped.js';
import { describeRule } from '../policy/rule.js';
import type { Checked } from './facts.js';
import type { Ask, Finding, Proof } from './findings.js';
import type { Probed } from './outcome.js';

export interface ProbedProject {
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
