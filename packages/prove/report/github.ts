import type { Finding } from '../prove/findings.js';

/** What a value of a workflow command cannot hold as it is, and in a property not either. */
const DATA: readonly (readonly [RegExp, string])[] = [
  [/%/g, '%25'],
  [/\r/g, '%0D'],
  [/\n/g, '%0A'],
];
const PROPERTY = [...DATA, [/:/g, '%3A'], [/,/g, '%2C']] as const;

const escaped = (text: string, rules: readonly (readonly [RegExp, string])[]): string =>
  rules.reduce((escaping, [character, code]) => escaping.replace(character, code), text);

/** Annotations of GitHub Actions, one line for each finding. */
export const githubReport = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ file, line, rule, route, problem, fix }) => {
    const place = [
      `file=${escaped(file, PROPERTY)}`,
      ...(line === undefined ? [] : [`line=${line}`]),
      `title=${escaped(rule, PROPERTY)}`,
    ];
    const said = `${route === undefined ? '' : `${route} `}${problem}. ${fix}`;
    return `::error ${place.join(',')}::${escaped(said, DATA)}`;
  });
