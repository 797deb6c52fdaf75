import type { Outcome } from '../prove/outcome.js';

/** What a policy came to, in a sentence: `1 of 3 rules does not hold: 2 findings, 27 routes, 1,069 requests`. */
export function verdictOf({ rules, targets, requests, isProbed }: Outcome): string {
  const broken = rules.filter(({ findings }) => findings.length > 0).length;
  const unasked = rules.filter((rule) => rule.unasked !== undefined).length;
  const findings = rules.reduce((sum, rule) => sum + rule.findings.length, 0);
  const facts = [nounsOf(targets), ...(isProbed ? [counted(requests, 'request')] : [])];
  const all = counted(rules.length, 'rule');
  if (broken > 0) {
    const said = `${number(broken)} of ${all} ${broken === 1 ? 'does' : 'do'} not hold`;
    return `${said}: ${[counted(findings, 'finding'), ...facts].join(', ')}`;
  }
  const wanting = `${number(unasked)} of ${all} ${unasked === 1 ? 'wants' : 'want'} requests`;
  const said = unasked > 0 ? `Nothing is wrong without a request, and ${wanting}` : 'The policy holds';
  return `${said}: ${facts.join(', ')}`;
}

interface Counted {
  readonly kind: string;
  readonly member?: object;
}

/** `27 routes`, `1 tool`, `28 routes and 3 members`. */
export function nounsOf(targets: readonly Counted[]): string {
  const members = targets.filter(({ member }) => member !== undefined);
  const routes = targets.length - members.length;
  if (members.length === 0) return counted(routes, 'route');
  const kinds = new Set(members.map(({ kind }) => kind));
  const [kind = 'member'] = kinds;
  const counts = counted(members.length, kinds.size === 1 ? kind : 'member');
  return routes === 0 ? counts : `${counted(routes, 'route')} and ${counts}`;
}

/** The same on every machine. */
export const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
