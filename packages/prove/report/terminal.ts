import { type Finding, grouped } from '../policy/findings.js';
import { nounsOf, number, type Outcome, type RuleOutcome, verdictOf } from './outcome.js';

/** How many reasons of one rule are listed. */
const MAX_REASONS = 20;

/** What came of a policy, for people: a block for each rule, and one line about all. */
export function terminalReport(outcome: Outcome): readonly string[] {
  const told = new Set<string>();
  return [
    ...outcome.rules.flatMap((rule) => ruleLines(rule, told)),
    `${verdictOf(outcome)}, ${number(Math.round(outcome.milliseconds))} ms`,
  ];
}

/** `told`: public routes that a rule before has named. */
function ruleLines(rule: RuleOutcome, told: Set<string>): readonly string[] {
  const sign = rule.findings.length > 0 ? '✗' : rule.unasked !== undefined ? '-' : '✓';
  return [
    `${sign} ${rule.text}  ${extentOf(rule)}`,
    ...blocksOf(rule.findings).flatMap(({ places, problems, fixes }) => [
      ...places.map((place) => `    ${place}`),
      ...[...problems, ...fixes].map((line) => `      ${line}`),
    ]),
    ...reasonLines(rule, told),
  ];
}

/** For how many of its routes a rule does not hold, or what is known of it. */
function extentOf({ selected, findings, unasked }: RuleOutcome): string {
  const failing = new Set(findings.map(({ route }) => route));
  // Where a name is that of no middleware, no route passes it.
  const isUnknown = findings.some(({ kind }) => kind === 'unknown');
  const count = selected.filter(({ label }) => isUnknown || failing.has(label)).length;
  const nouns = nounsOf(selected);
  if (count > 0) {
    const hasBoth = new Set(selected.map(({ member }) => member === undefined)).size > 1;
    return `does not hold for ${number(count)} of ${hasBoth ? `${number(selected.length)}: ${nouns}` : nouns}`;
  }
  if (findings.length > 0 || unasked === undefined) return nouns;
  return unasked === 'all' ? `${nouns}: no request sent` : `${nouns}: chains hold, no request sent`;
}

/** Routes that the rule lets be, and why. */
function reasonLines({ proven }: RuleOutcome, told: Set<string>): readonly string[] {
  const lines = proven
    .filter(({ by }) => /^(public|except): /.test(by))
    .map(({ route, by }) => `    ${route}  ${by.replace(/\s+/g, ' ')}`)
    .filter((line) => !told.has(line) || !line.includes('  public: '));
  for (const line of lines) told.add(line);
  if (lines.length <= MAX_REASONS) return lines;
  return [...lines.slice(0, MAX_REASONS), `    and ${number(lines.length - MAX_REASONS)} more: see --json`];
}

/** What is wrong in the same way, with what to do about it. */
interface Block {
  /** Routes with their files, or a place in the policy. */
  readonly places: readonly string[];
  readonly problems: readonly string[];
  readonly fixes: readonly string[];
}

/** The findings of one rule: all of a route together, and routes of which the same is said. */
function blocksOf(findings: readonly Finding[]): readonly Block[] {
  const ofRoutes = grouped(findings, (finding) => (finding.route === undefined ? finding : placeOf(finding)));
  const blocks = ofRoutes.map((own): Block => {
    // What the chain lacks is why somebody gets in: what to do about that is the same.
    const lacks = own.filter(({ kind }) => kind === 'missing' || kind === 'order');
    return {
      places: own.slice(0, 1).map(placeOf),
      problems: own.map(({ problem }) => problem),
      fixes: [...new Set((lacks.length > 0 ? lacks : own).map(({ fix }) => fix))],
    };
  });
  const alike = grouped(blocks, ({ problems, fixes }) => JSON.stringify([problems, fixes]));
  return alike.flatMap(([first, ...others]) =>
    first ? { ...first, places: [first, ...others].flatMap(({ places }) => places) } : [],
  );
}

function placeOf({ route, file, line }: Finding): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return route === undefined ? place : `${route}  ${place}`;
}
