import type { Report } from '../policy/findings.js';
import { type Outcome, publicRoutes, reportOf, verdictOf } from './outcome.js';
import { terminalReport } from './terminal.js';

/** How an outcome can be printed. */
const FORMATS = {
  terminal: terminalReport,
  json: (outcome: Outcome) => [JSON.stringify(reportOf(outcome), null, 2)],
  github: (outcome: Outcome) => githubReport(reportOf(outcome)),
  markdown: markdownReport,
} as const satisfies Record<string, (outcome: Outcome) => readonly string[]>;

export type Format = keyof typeof FORMATS;

/** The names of all formats. */
export const formatNames: readonly string[] = Object.keys(FORMATS);

export const isFormat = (name: string): name is Format => Object.hasOwn(FORMATS, name);

/** The lines of a report. */
export const printed = (outcome: Outcome, format: Format): readonly string[] => FORMATS[format](outcome);

/** Text of a cell: what ends it or the row is escaped, and no client's word becomes markup. */
const cell = (text: string): string => text.replace(/[\\`*_{}[\]<>()#|~&]/g, '\\$&').replace(/\r?\n/g, ' ');

/** Code of a cell. A backtick would end it. */
const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;

/** What came of a policy, for a review: a line about all, and a table of what does not hold. */
function markdownReport(outcome: Outcome): readonly string[] {
  const { rules } = outcome;
  const verdict = `${verdictOf(outcome)}.`;
  const findings = rules.flatMap((rule) => rule.findings);
  const reasons = rules.flatMap(({ proven }) => proven).filter(({ by }) => /^(public|except): /.test(by));
  const listed = [...new Set(reasons.map(({ route, by }) => `- ${code(route)} ${cell(by)}`))];
  const known = listed.length === 0 ? [] : ['', 'Let be, with a reason:', '', ...listed];
  if (findings.length === 0) return [verdict, ...known];
  return [
    verdict,
    '',
    '| Route | File | Rule | What | Fix |',
    '|---|---|---|---|---|',
    ...findings.map(({ route, file, line, rule, problem, fix }) => {
      const place = code(line === undefined ? file : `${file}:${line}`);
      const cells = [route === undefined ? '' : code(route), place, code(rule), cell(problem), cell(fix)];
      return `| ${cells.join(' | ')} |`;
    }),
    ...known,
  ];
}

/** What a value of a workflow command cannot hold as it is, and in a property not either. */
const DATA: readonly (readonly [RegExp, string])[] = [
  [/%/g, '%25'],
  [/\r/g, '%0D'],
  [/\n/g, '%0A'],
];
const PROPERTY = [...DATA, [/:/g, '%3A'], [/,/g, '%2C']] as const;

const escaped = (text: string, rules: readonly (readonly [RegExp, string])[]): string =>
  rules.reduce((escaping, [character, code]) => escaping.replace(character, code), text);

/** Annotations of GitHub Actions: an error for each finding, a notice for each route that is public. */
const githubReport = (report: Report): readonly string[] => [
  ...report.findings.map(({ file, line, rule, route, problem, fix }) => {
    const place = [
      `file=${escaped(file, PROPERTY)}`,
      ...(line === undefined ? [] : [`line=${line}`]),
      `title=${escaped(rule, PROPERTY)}`,
    ];
    const said = `${route === undefined ? '' : `${route} `}${problem}. ${fix}`;
    return `::error ${place.join(',')}::${escaped(said, DATA)}`;
  }),
  ...publicRoutes(report).map(({ route, by }) => `::notice title=public::${escaped(`${route} ${by}`, DATA)}`),
];
