import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BootError, isObject } from 'fwkit/plugin';
import type { Finding, KnownFinding } from '../policy/findings.js';
import { MISTAKE } from '../policy/rule.js';
import type { Outcome } from '../report/outcome.js';

/** The file of known findings, which is committed with the project. Relative to its root. */
export const BASELINE = 'prove.baseline.json';

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

export async function writeBaseline(root: string, findings: readonly Finding[]): Promise<void> {
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
export async function withoutKnown(outcome: Outcome, isWhole: boolean): Promise<Outcome> {
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
