import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BootError, type CommandRun, isObject, type Resolved } from 'fwkit/plugin';
import { type Checked, checkPolicy, readPolicy } from '../policy/check-policy.js';
import {
  type Ask,
  type Finding,
  grouped,
  type KnownFinding,
  type Proof,
  type Report,
} from '../policy/findings.js';
import { MISTAKE } from '../policy/rule.js';
import { targetsOf } from '../policy/targets.js';
import type { ProbeOptions } from '../probe/probe.js';
import { redirected, withProject } from '../report/command-output.js';
import { githubReport, type Outcome, reportOf, terminalReport } from '../report/outcome.js';

/** The file of known findings, which is committed with the project. Relative to its root. */
const BASELINE = 'prove.baseline.json';

/** The known findings of a project. Rejects with a BootError if the file can't be read. */
async function readBaseline(root: string): Promise<readonly KnownFinding[]> {
  const message = 'is not a baseline. Run fwk prove --baseline to write it again.';
  try {
    const { findings }: { findings?: readonly KnownFinding[] } = JSON.parse(
      await readFile(join(root, BASELINE), 'utf8'),
    );
    if (findings?.every(isObject)) return findings;
  } catch (thrown) {
    if (isObject(thrown) && thrown.code === 'ENOENT') return [];
  }
  throw new BootError({ file: BASELINE, message, code: MISTAKE });
}

async function writeBaseline(root: string, findings: readonly Finding[]): Promise<void> {
  const known = findings.map(({ kind, route, file, visitor, problem }) => ({
    ...{ kind, route, file },
    ...(visitor === undefined ? { problem } : { visitor }),
  }));
  const sorted = new Map(known.map((one) => [identityOf(one), one] as const).sort());
  const text = JSON.stringify({ version: 1, findings: [...sorted.values()] }, null, 2);
  await writeFile(join(root, BASELINE), `${text}\n`);
}

/** A spelling differs from run to run, so a finding about a visitor is known by the visitor. */
const identityOf = ({ kind, route, file, visitor, problem }: KnownFinding): string =>
  JSON.stringify([route ?? file, kind, visitor ?? problem]);

/** The outcome without the findings of the baseline. Rejects with a BootError if the baseline can't be read. */
async function withoutKnown(outcome: Outcome, isWhole: boolean): Promise<Outcome> {
  const baseline = await readBaseline(outcome.root);
  const before = new Set(baseline.map(identityOf));
  const isKnown = (finding: Finding): boolean => before.has(identityOf(finding));
  const findings = outcome.rules.flatMap((rule) => rule.findings);
  const now = new Set(findings.map(identityOf));
  return {
    ...outcome,
    rules: outcome.rules.map((rule) => ({ ...rule, findings: rule.findings.filter((one) => !isKnown(one)) })),
    known: findings.filter(isKnown),
    // A finding that isn't found is fixed only if all routes were checked, and requests were sent.
    fixed: isWhole ? baseline.filter((one) => !now.has(identityOf(one))) : [],
  };
}

/** `fwk prove`. Exit code 0: the policy holds. 1: it is violated. 2: it could not be checked. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { baseline, json, github } = command.flags;
  // A baseline contains all findings.
  const flags = baseline === true ? {} : command.flags;
  const isData = json === true || github === true;
  const outcome = await redirected(isData, () => prove({ ...command, flags }));
  const report = reportOf(outcome);
  const all = [...report.findings, ...outcome.known];
  if (baseline === true) await writeBaseline(outcome.root, all);
  if (json === true) console.log(JSON.stringify(report, null, 2));
  else
    for (const line of github === true ? githubReport(outcome) : terminalReport(outcome)) console.log(line);
  if (baseline === true) console.error(`${BASELINE} has ${all.length} findings now.`);
  process.exitCode = baseline === true || report.findings.length === 0 ? 0 : 1;
}

export async function prove(command: CommandRun): Promise<Outcome> {
  const began = performance.now();
  const { flags, paths } = command;
  return withProject(command, async (resolved) => {
    const { project, routes } = resolved;
    const read = await readPolicy(project);
    const isFollowed = read.policy.rules.some(({ keys }) => keys.length > 0);
    const reads = isFollowed ? await (await import('../reach/survey.js')).survey(resolved) : undefined;
    const keys = reads && new Map(reads.routes.map(({ route, ctx }) => [route, new Set(ctx)]));
    const all = checkPolicy(read, routes, project, keys);
    const since = typeof flags.since === 'string' ? flags.since : undefined;
    const checked =
      since === undefined ? all : await reachedSince(all, project.display(read.entry.file), resolved, since);
    const isProbed = flags.static !== true;
    const unprobed = { rules: checked, requests: 0, environment: [] };
    const outcome: Outcome = {
      ...(isProbed ? await probeRules(command, checked, { project, routes }) : unprobed),
      targets: targetsOf(routes),
      known: [],
      fixed: [],
      isProbed,
      milliseconds: performance.now() - began,
      root: paths().root,
    };
    return withoutKnown(outcome, isProbed && since === undefined);
  });
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

/** Sends the requests that rules need, and adds the results. Rejects with a BootError if the project does not boot for them. */
export async function probeRules(
  command: CommandRun,
  checked: readonly Checked[],
  options: ProbeOptions,
): Promise<Pick<Report, 'requests' | 'environment'> & { readonly rules: readonly Checked[] }> {
  const excuses = checked.flatMap((one) => one.excuses);
  const asks = [...checked, ...excuses].flatMap((one) => one.asks);
  if (asks.length === 0) return { rules: checked, requests: 0, environment: [] };
  // The static part does without the modules that serve and send.
  const { probe } = await import('../probe/probe.js');
  const { answers, requests, environment } = await probe(command, asks, options);
  const isRight = (ask: Ask): boolean => answers.get(ask)?.verdict === undefined;
  const stale = grouped(excuses, ({ key }) => key).flatMap((alike) =>
    alike.every((one) => one.asks.every(isRight)) ? alike.slice(0, 1) : [],
  );
  const rules = checked.map((one): Checked => {
    const findings: Finding[] = [...one.findings];
    const proven: Proof[] = [...one.proven];
    for (const ask of one.asks) {
      const { verdict, status } = answers.get(ask) ?? {};
      const about = { rule: one.text, route: ask.target.label };
      if (verdict)
        findings.push({ ...about, ...one.placeOf(ask.target), visitor: ask.visitor.name, ...verdict });
      else proven.push({ ...about, by: `probe ${status ?? ''}`.trimEnd() });
    }
    findings.push(...one.excuses.flatMap((excuse) => (stale.includes(excuse) ? excuse.stale : [])));
    return { ...one, findings, proven };
  });
  return { rules, requests, environment };
}
