import type { Finding } from '../prove/findings.js';
import type { Outcome, RuleOutcome } from '../prove/outcome.js';

/** How many reasons of one rule are listed. */
const MAX_REASONS = 20;

/** What came of a policy, for people: a block for each rule, and one line about all. */
export function terminalReport(outcome: Outcome): readonly string[] {
  const { rules, targets, requests, isProbed, milliseconds } = outcome;
  const count = rules.reduce((sum, rule) => sum + blocksOf(rule).length, 0);
  const verdict =
    count === 0 ? 'The policy holds' : `${number(count)} ${count === 1 ? 'does' : 'do'} not hold`;
  const sent = isProbed ? `, ${counted(requests, 'request')}` : '';
  return [
    ...rules.flatMap(ruleLines),
    `${verdict}: ${nounsOf(targets)}${sent}, ${number(Math.round(milliseconds))} ms`,
  ];
}

function ruleLines(rule: RuleOutcome): readonly string[] {
  const { text, selected, findings } = rule;
  const blocks = blocksOf(rule);
  const failed = new Set(blocks.map(({ route }) => route).filter((route) => route !== undefined));
  const holding = failed.size > 0 ? `${number(selected.length - failed.size)} of ` : '';
  return [
    `${findings.length > 0 ? '✗' : '✓'} ${text}  ${holding}${nounsOf(selected)}`,
    ...blocks.flatMap(({ route, file, line, problem, fix }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return [
        `    ${route === undefined ? place : `${route}  ${place}`}`,
        `      ${problem}`,
        `      ${fix}`,
      ];
    }),
    ...reasonLines(rule),
  ];
}

/** A route that misses its guard is one block: that it is open is said by that. */
export function blocksOf({ findings }: RuleOutcome): readonly Finding[] {
  const missing = new Set(findings.filter(({ kind }) => kind === 'missing').map(({ route }) => route));
  return findings.filter(
    ({ kind, route }) =>
      route === undefined || kind === 'missing' || !missing.has(route) || !TOLD_BY_CHAIN.has(kind),
  );
}

const TOLD_BY_CHAIN: ReadonlySet<string> = new Set(['open', 'answered', 'failed']);

/** Routes that the rule lets be, and why. */
function reasonLines({ proven }: RuleOutcome): readonly string[] {
  const lines = proven
    .filter(({ by }) => /^(public|except): /.test(by))
    .map(({ route, by }) => `    ${route}  ${by.replace(/\s+/g, ' ')}`);
  if (lines.length <= MAX_REASONS) return lines;
  return [...lines.slice(0, MAX_REASONS), `    and ${number(lines.length - MAX_REASONS)} more: see --json`];
}

/** `27 routes`, `1 tool`, `28 routes and 3 members`. */
function nounsOf(targets: readonly { readonly kind: string; readonly member?: object }[]): string {
  const members = targets.filter(({ member }) => member !== undefined);
  const routes = targets.length - members.length;
  if (members.length === 0) return counted(routes, 'route');
  const kinds = new Set(members.map(({ kind }) => kind));
  const [kind = 'member'] = kinds;
  const counts = counted(members.length, kinds.size === 1 ? kind : 'member');
  return routes === 0 ? counts : `${counted(routes, 'route')} and ${counts}`;
}

/** The same on every machine. */
const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
