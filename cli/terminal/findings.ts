import kleur from 'kleur';
import { type Finding, readMore } from '../../kernel/internal.js';

/** What a doctor has found, where people read on, and how to have what is safe corrected. */
export function listFindings(findings: readonly Finding[], directory: string): string[] {
  if (findings.length === 0) return [kleur.green(`Nothing found in ${directory}.`)];
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  const safe = findings.filter(({ outputs }) => outputs !== undefined).length;
  return [
    kleur.yellow().bold(`${count} in ${directory}:`),
    ...findings.map(
      (finding) =>
        `  ${marked(finding)}${described(finding)} ${finding.fix} ${kleur.dim(`(${finding.rule})`)}`,
    ),
    ...(safe > 0 ? [`fwk doctor --fix corrects ${safe} of them.`] : []),
    ...readMore(findings).map((line) => kleur.dim(line)),
  ];
}

/** What a correction was for, and which files it has changed. */
export const describeFixed = (finding: Finding): string =>
  `${kleur.green('fixed')} ${described(finding)} ${(finding.outputs ?? []).map(({ path }) => path).join(', ')} is written. ${kleur.dim(`(${finding.rule})`)}`;

const marked = ({ code }: Finding): string => (code === undefined ? '' : `${kleur.dim(code)} `);

function described({ file, line, message }: Finding): string {
  if (file === undefined) return message;
  const place = line === undefined ? file : `${file}:${line}`;
  return `${kleur.bold(place)}: ${message}`;
}
