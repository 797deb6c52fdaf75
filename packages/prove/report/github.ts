import type { Report } from '../prove/findings.js';
import { publicRoutes } from '../prove/outcome.js';

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
export const githubReport = (report: Report): readonly string[] => [
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
