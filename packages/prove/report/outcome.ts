import type { Checked } from '../policy/check.js';
import type { Finding, Proof, Report, Selected } from '../policy/findings.js';

/** A rule, as reports show it. */
export interface RuleOutcome {
  readonly text: string;
  readonly selected: readonly Selected[];
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  /** How much of it is not known, as no request was sent; absent where all is. */
  readonly unasked?: 'all' | 'part';
}

/** What came of a policy. */
export interface Outcome {
  readonly rules: readonly RuleOutcome[];
  /** How many routes and members a client can reach. */
  readonly targets: readonly Selected[];
  readonly requests: number;
  /** Whether requests were sent, had any rule asked for it. */
  readonly isProbed: boolean;
  readonly milliseconds: number;
}

/** What requests told. */
export interface Probed {
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  readonly requests: number;
}

/** What a rule came to, with what requests told of it. Rules that read alike are told as one. */
export function rulesOf(checked: readonly Checked[], probed?: Probed): readonly RuleOutcome[] {
  const texts = [...new Set(checked.map(({ text }) => text))];
  const excusing = new Set(checked.flatMap(({ open }) => open.map(({ target }) => target.label)));
  return texts.map((text) => {
    const own = checked.filter((one) => one.text === text);
    // What is public is so of refusals alone: rules that refuse nobody tell of it where no other does.
    const refuses = own.some(({ rule }) => rule.refused.length > 0);
    const isTold = ({ by, route }: Proof): boolean =>
      refuses || !by.startsWith('public: ') || !excusing.has(route);
    const isOwn = ({ rule }: { readonly rule: string }): boolean => rule === text;
    return {
      text,
      selected: [...new Set(own.flatMap(({ selected }) => selected))],
      findings: [...own.flatMap(({ findings }) => findings), ...(probed?.findings.filter(isOwn) ?? [])],
      proven: [
        ...own.flatMap(({ proven }) => proven.filter(isTold)),
        ...(probed?.proven.filter(isOwn) ?? []),
      ],
      ...(probed ? {} : unaskedOf(own)),
    };
  });
}

function unaskedOf(checked: readonly Checked[]): Pick<RuleOutcome, 'unasked'> {
  if (checked.every(({ asks, excused, open }) => asks.length + excused.length + open.length === 0)) return {};
  const isStatic = checked.some(({ rule: { guards, scopes } }) => guards.length + scopes.length > 0);
  return { unasked: isStatic ? 'part' : 'all' };
}

/** The same for programs. */
export const reportOf = ({ rules, requests }: Outcome): Report => ({
  version: 1,
  findings: rules.flatMap(({ findings }) => findings),
  proven: rules.flatMap(({ proven }) => proven),
  requests,
});

/** Routes that say of themselves that anybody may call them, and why. Each once, whatever rules are about it. */
export function publicRoutes({ proven }: Pick<Report, 'proven'>): readonly Pick<Proof, 'route' | 'by'>[] {
  const reasons = new Map(
    proven.filter(({ by }) => by.startsWith('public: ')).map(({ route, by }) => [route, by]),
  );
  return [...reasons].map(([route, by]) => ({ route, by }));
}

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

const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
