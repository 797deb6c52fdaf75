import type { Checked } from '../policy/check.js';
import { type Finding, grouped, type Proof, type Report, type Selected } from '../policy/findings.js';

export interface Outcome extends Omit<Report, 'version' | 'findings' | 'proven'> {
  readonly rules: readonly Checked[];
  /** All routes and members that a client can reach. */
  readonly targets: readonly Selected[];
  readonly isProbed: boolean;
  readonly milliseconds: number;
  readonly root: string;
}

export const reportOf = ({ rules, requests, environment, known, fixed }: Outcome): Report => ({
  version: 1,
  findings: rules.flatMap(({ findings }) => findings),
  proven: rules.flatMap(({ proven }) => proven),
  requests,
  environment,
  known,
  fixed,
});

export interface Block {
  readonly first: Finding;
  readonly problems: readonly string[];
  readonly fixes: readonly string[];
}

/** The findings of a rule about one route. */
export const blocksOf = (findings: readonly Finding[]): readonly Block[] =>
  grouped(findings, (finding) =>
    finding.route === undefined ? finding : placeOf(finding) + finding.rule,
  ).flatMap((own) => {
    const [first] = own;
    // A visitor gets in because the chain lacks a guard, so the fix is the same.
    const lacks = own.filter(({ kind }) => kind === 'missing' || kind === 'order');
    const fixes = [...new Set((lacks.length > 0 ? lacks : own).map(({ fix }) => fix))];
    return first ? { first, problems: own.map(({ problem }) => problem), fixes } : [];
  });

export function placeOf({ route, file, line }: Finding): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return route === undefined ? place : `${route}  ${place}`;
}

/** Routes and exceptions to which a rule doesn't apply, with the reasons. */
export const reasonsOf = (proven: readonly Proof[]): readonly Proof[] =>
  proven.filter(({ by }) => /^(public|except): /.test(by));

/** Whether a part of a rule isn't known because no request was sent. */
export const isOpen = ({ asks, excuses }: Checked, { isProbed }: Outcome): boolean =>
  !isProbed && asks.length + excuses.length > 0;

/** The result in a sentence: `1 of 3 rules does not hold: 2 findings, 27 routes, 1,069 requests`. */
export function verdictOf(outcome: Outcome): string {
  const { rules, targets, requests, isProbed, known } = outcome;
  const broken = rules.filter(({ findings }) => findings.length > 0).length;
  const unasked = rules.filter((rule) => isOpen(rule, outcome)).length;
  const { findings } = reportOf(outcome);
  const facts = [
    ...(known.length > 0 ? [counted(known.length, 'known finding')] : []),
    nounsOf(targets),
    ...(isProbed ? [counted(requests, 'request')] : []),
  ].join(', ');
  const all = counted(rules.length, 'rule');
  if (broken > 0) {
    const found = counted(findings.length, known.length > 0 ? 'new finding' : 'finding');
    return `${number(broken)} of ${all} ${broken === 1 ? 'does' : 'do'} not hold: ${found}, ${facts}`;
  }
  const needing = `${number(unasked)} of ${all} ${unasked === 1 ? 'needs' : 'need'} requests`;
  return `${unasked > 0 ? `No violation without requests, and ${needing}` : 'The policy holds'}: ${facts}`;
}

export function nounsOf(targets: readonly Selected[]): string {
  const members = targets.filter(({ member }) => member !== undefined);
  const routes = targets.length - members.length;
  if (members.length === 0) return counted(routes, 'route');
  const [kind = 'member', ...others] = new Set(members.map((one) => one.kind));
  const counts = counted(members.length, others.length === 0 ? kind : 'member');
  return routes === 0 ? counts : `${counted(routes, 'route')} and ${counts}`;
}

/** A number with commas, the same on every machine. */
export const number = (value: number): string => value.toLocaleString('en');

export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
