import type { Checked } from '../policy/check.js';
import { type Finding, grouped, type Proof, type Report, type Selected } from '../policy/findings.js';

export interface RuleOutcome {
  readonly text: string;
  readonly selected: readonly Selected[];
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  /** Whether a part of the rule isn't known because no request was sent. */
  readonly isOpen: boolean;
}

export interface Outcome extends Omit<Report, 'version' | 'findings' | 'proven'> {
  readonly rules: readonly RuleOutcome[];
  /** All routes and members that a client can reach. */
  readonly targets: readonly Selected[];
  readonly isProbed: boolean;
  readonly milliseconds: number;
  readonly root: string;
}

export type Probed = Pick<Report, 'findings' | 'proven' | 'requests' | 'environment'>;

/** The result of each rule. Rules that read alike count as one. */
export function rulesOf(checked: readonly Checked[], probed?: Probed): readonly RuleOutcome[] {
  const excusing = new Set(checked.flatMap(({ excuses }) => excuses.map(({ stale }) => stale.route)));
  return grouped(checked, ({ text }) => text).map((own) => {
    const text = own[0]?.text ?? '';
    // A route is public for rules that refuse somebody. Other rules show it only if no such rule does.
    const refuses = own.some(({ rule }) => rule.refused.length > 0);
    const isShown = ({ by, route }: Proof): boolean =>
      refuses || !by.startsWith('public: ') || !excusing.has(route);
    const isOwn = ({ rule }: { readonly rule: string }): boolean => rule === text;
    return {
      text,
      selected: [...new Set(own.flatMap(({ selected }) => selected))],
      findings: [...own.flatMap(({ findings }) => findings), ...(probed?.findings.filter(isOwn) ?? [])],
      proven: [
        ...own.flatMap(({ proven }) => proven.filter(isShown)),
        ...(probed?.proven.filter(isOwn) ?? []),
      ],
      isOpen: !probed && own.some(({ asks, excuses }) => asks.length + excuses.length > 0),
    };
  });
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

/** The result in a sentence: `1 of 3 rules does not hold: 2 findings, 27 routes, 1,069 requests`. */
export function verdictOf({ rules, targets, requests, isProbed, known }: Outcome): string {
  const broken = rules.filter(({ findings }) => findings.length > 0).length;
  const unasked = rules.filter(({ isOpen }) => isOpen).length;
  const findings = rules.reduce((sum, rule) => sum + rule.findings.length, 0);
  const facts = [
    ...(known.length > 0 ? [counted(known.length, 'known finding')] : []),
    nounsOf(targets),
    ...(isProbed ? [counted(requests, 'request')] : []),
  ];
  const all = counted(rules.length, 'rule');
  if (broken > 0) {
    const summary = `${number(broken)} of ${all} ${broken === 1 ? 'does' : 'do'} not hold`;
    return `${summary}: ${[counted(findings, known.length > 0 ? 'new finding' : 'finding'), ...facts].join(', ')}`;
  }
  const wanting = `${number(unasked)} of ${all} ${unasked === 1 ? 'needs' : 'need'} requests`;
  const summary = unasked > 0 ? `No violation without requests, and ${wanting}` : 'The policy holds';
  return `${summary}: ${facts.join(', ')}`;
}

export function nounsOf(targets: readonly { readonly kind: string; readonly member?: object }[]): string {
  const members = targets.filter(({ member }) => member !== undefined);
  const routes = targets.length - members.length;
  if (members.length === 0) return counted(routes, 'route');
  const [kind = 'member', ...others] = new Set(members.map((one) => one.kind));
  const counts = counted(members.length, others.length === 0 ? kind : 'member');
  return routes === 0 ? counts : `${counted(routes, 'route')} and ${counts}`;
}

/** A number with commas, the same on every machine. */
export const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
