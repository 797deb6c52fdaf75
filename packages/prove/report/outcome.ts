import type { Checked } from '../policy/check-policy.js';
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
  ...{ requests, environment, known, fixed },
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
  const nouns = targets.map(({ member }) => member?.kind ?? 'route');
  const counts = [...new Set(nouns)].map((noun) => counted(nouns.filter((one) => one === noun).length, noun));
  return counts.join(', ').replace(/, (?!.*, )/, ' and ') || counted(0, 'route');
}

/** A number with commas. The first use of `Intl` would take milliseconds. */
export const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
const MAX_NAMED = 3;
/** The first texts of a list, and the number of the others. */
export function named(texts: readonly string[], separator = '; '): string {
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : '';
  return `${texts.slice(0, MAX_NAMED).join(separator)}${more}`;
}

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

/** Replaces characters that a workflow command can't contain. A property can't contain `:` and `,` either. */
const escaped = (text: string, characters = /[%\r\n]/g): string =>
  text.replace(characters, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
const property = (text: string): string => escaped(text, /[%\r\n:,]/g);

/** Annotations of GitHub Actions: an error for each rule and route, and a notice for each public route. */
export function githubReport(outcome: Outcome): readonly string[] {
  const { findings, proven } = reportOf(outcome);
  const errors = blocksOf(findings).map(({ first: { rule, file, line = 1, route }, problems, fixes }) => {
    const text = `${route === undefined ? '' : `${route} `}${problems.join('; ')}. ${fixes.join(' ')}`;
    return `::error file=${property(file)},line=${line},title=${property(rule)}::${escaped(text)}`;
  });
  const open = reasonsOf(proven).filter(({ by }) => by.startsWith('public: '));
  const notices = open.map(({ route, by }) => `::notice title=public::${escaped(`${route} ${by}`)}`);
  return [...errors, ...new Set(notices)];
}
