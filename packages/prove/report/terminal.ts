import type { Checked } from '../policy/check.js';
import { grouped } from '../policy/findings.js';
import {
  blocksOf,
  isOpen,
  nounsOf,
  number,
  type Outcome,
  placeOf,
  reasonsOf,
  reportOf,
  verdictOf,
} from './outcome.js';

/** How many exceptions and public routes are listed. */
const MAX_REASONS = 20;

export function terminalReport(outcome: Outcome): readonly string[] {
  const { rules, environment, fixed, milliseconds } = outcome;
  const names = environment.map((name) => (name === '*' ? 'any variable' : name)).join(', ');
  const proofs = reasonsOf(reportOf(outcome).proven);
  const reasons = [...new Set(proofs.map(({ route, by }) => `  ${route}  ${by.replace(/\s+/g, ' ')}`))];
  const more = reasons.splice(MAX_REASONS).length;
  return [
    ...rules.flatMap((rule) => ruleLines(rule, outcome)),
    ...reasons,
    ...(more > 0 ? [`  and ${number(more)} more: see --json`] : []),
    ...(names === '' ? [] : [`  Guards read ${names} from the environment`]),
    ...fixed.map(({ kind, route, file }) => `  Fixed: ${kind} ${route ?? file}`),
    ...(fixed.length > 0 ? ['  Run fwk prove --baseline to remove fixed findings from the baseline'] : []),
    `${verdictOf(outcome)}, ${number(Math.round(milliseconds))} ms`,
  ];
}

function ruleLines(rule: Checked, outcome: Outcome): readonly string[] {
  const isUnknown = isOpen(rule, outcome);
  const sign = rule.findings.length > 0 ? '✗' : isUnknown ? '-' : '✓';
  // Routes with the same problems and fixes share a block.
  const alike = grouped(blocksOf(rule.findings), ({ problems, fixes }) => JSON.stringify([problems, fixes]));
  return [
    `${sign} ${rule.text}  ${extentOf(rule, isUnknown)}`,
    ...alike.flatMap((blocks) => [
      ...blocks.map(({ first }) => `    ${placeOf(first)}`),
      ...(blocks[0] ? [...blocks[0].problems, ...blocks[0].fixes] : []).map((line) => `      ${line}`),
    ]),
  ];
}

function extentOf({ selected, findings }: Checked, isUnknown: boolean): string {
  const failing = new Set(findings.map(({ route }) => route));
  const count = selected.filter(({ label }) => failing.has(label)).length;
  const nouns = nounsOf(selected);
  if (count > 0) return `does not hold for ${number(count)} of ${nouns}`;
  return findings.length === 0 && isUnknown ? `${nouns}: no request sent` : nouns;
}
