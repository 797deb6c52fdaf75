import { grouped } from '../policy/findings.js';
import {
  blocksOf,
  nounsOf,
  number,
  type Outcome,
  placeOf,
  type RuleOutcome,
  reasonsOf,
  verdictOf,
} from './outcome.js';

/** How many reasons of one rule are listed. */
const MAX_REASONS = 20;

export function terminalReport(outcome: Outcome): readonly string[] {
  const { rules, environment, fixed, milliseconds } = outcome;
  const shown = new Set<string>();
  const names = environment.map((name) => (name === '*' ? 'any variable' : name)).join(', ');
  return [
    ...rules.flatMap((rule) => ruleLines(rule, shown)),
    ...(names === '' ? [] : [`  Guards read ${names} from the environment`]),
    ...fixed.map(({ kind, route, file }) => `  Fixed: ${kind} ${route ?? file}`),
    ...(fixed.length > 0 ? ['  Run fwk prove --baseline to remove fixed findings from the baseline'] : []),
    `${verdictOf(outcome)}, ${number(Math.round(milliseconds))} ms`,
  ];
}

/** `shown`: public routes that an earlier rule has listed. */
function ruleLines(rule: RuleOutcome, shown: Set<string>): readonly string[] {
  const sign = rule.findings.length > 0 ? '✗' : rule.isOpen ? '-' : '✓';
  // Routes with the same problems and fixes share a block.
  const alike = grouped(blocksOf(rule.findings), ({ problems, fixes }) => JSON.stringify([problems, fixes]));
  return [
    `${sign} ${rule.text}  ${extentOf(rule)}`,
    ...alike.flatMap((blocks) => [
      ...blocks.map(({ first }) => `    ${placeOf(first)}`),
      ...(blocks[0] ? [...blocks[0].problems, ...blocks[0].fixes] : []).map((line) => `      ${line}`),
    ]),
    ...reasonLines(rule, shown),
  ];
}

function extentOf({ selected, findings, isOpen }: RuleOutcome): string {
  const failing = new Set(findings.map(({ route }) => route));
  // If no middleware has a name, no route passes it.
  const isUnknown = findings.some(({ kind }) => kind === 'unknown');
  const count = selected.filter(({ label }) => isUnknown || failing.has(label)).length;
  const nouns = nounsOf(selected);
  if (count > 0) {
    const hasBoth = new Set(selected.map(({ member }) => member === undefined)).size > 1;
    return `does not hold for ${number(count)} of ${hasBoth ? `${number(selected.length)}: ${nouns}` : nouns}`;
  }
  return findings.length === 0 && isOpen ? `${nouns}: no request sent` : nouns;
}

function reasonLines({ proven }: RuleOutcome, shown: Set<string>): readonly string[] {
  const lines = reasonsOf(proven)
    .map(({ route, by }) => `    ${route}  ${by.replace(/\s+/g, ' ')}`)
    .filter((line) => !shown.has(line) || !line.includes('  public: '));
  for (const line of lines) shown.add(line);
  if (lines.length <= MAX_REASONS) return lines;
  return [...lines.slice(0, MAX_REASONS), `    and ${number(lines.length - MAX_REASONS)} more: see --json`];
}
