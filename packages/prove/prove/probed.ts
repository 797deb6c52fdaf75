import type { BaseRoute, CommandRun, Project } from 'fwkit/plugin';
import { describeRule } from '../policy/rule.js';
import type { Checked } from './facts.js';
import type { Finding, Proof } from './findings.js';
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
  const asks = checked.flatMap((one) => one.asks);
  const excused = checked.flatMap((one) => one.excused);
  const all = [...asks, ...excused.flatMap((one) => one.asks)];
  if (all.length === 0) return { findings: [], proven: [], requests: 0 };
  // With what sends and serves, which the static part does without.
  const { probe } = await import('../probe/probe.js');
  const { answers, requests } = await probe(command, all, { project, ...options });
  const findings: Finding[] = [];
  const proven: Proof[] = [];
  for (const ask of asks) {
    const { rule, target } = ask;
    const about = { rule: describeRule(rule), route: target.label };
    const { verdict, status } = answers.get(ask) ?? {};
    if (verdict) findings.push({ ...about, file: project.display(target.file), ...verdict });
    else proven.push({ ...about, by: `probe ${status ?? ''}`.trimEnd() });
  }
  const isRefused = (one: Checked['excused'][number]): boolean =>
    one.asks.every((ask) => answers.get(ask)?.verdict === undefined);
  findings.push(...excused.filter(isRefused).map(({ stale }) => stale));
  return { findings, proven, requests };
}
