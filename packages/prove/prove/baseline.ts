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
    const { findings }: { findings: unknown } = JSON.parse(await readFile(join(root, BASELINE), 'utf8'));
    if (Array.isArray(findings) && findings.every(isKnownFinding)) return findings;
  } catch (thrown) {
    if (isObject(thrown) && thrown.code === 'ENOENT') return [];
  }
  throw new BootError({ file: BASELINE, message, code: MISTAKE });
}

const isKnownFinding = (value: unknown): value is KnownFinding =>
  isObject(value) && typeof value.kind === 'string' && typeof value.file === 'string';

export async function writeBaseline(root: string, findings: readonly Finding[]): Promise<void> {
  const known = new Map(findings.map((finding) => [identityOf(finding), knownOf(finding)]));
  const sorted = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  const text = JSON.stringify({ version: 1, findings: sorted }, null, 2);
  await writeFile(join(root, BASELINE), `${text}\n`);
}

/** A spelling differs from run to run, so a finding about a visitor is known by the visitor. */
const knownOf = ({ kind, route, file, visitor, problem }: KnownFinding): KnownFinding => ({
  kind,
  ...(route === undefined ? {} : { route }),
  file,
  ...(visitor === undefined ? { problem } : { visitor }),
});

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
