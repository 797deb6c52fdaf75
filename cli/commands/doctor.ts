import kleur from 'kleur';
import { readMore } from '../../app/report-problems.js';
import type { CommandRun, Finding } from '../../contributions/index.js';
import { BootError, type ProjectPaths } from '../../kernel/index.js';
import { type Diagnosis, examine } from '../doctor/examine.js';
import { write } from '../files/write.js';
import { listProblems } from '../terminal/problems.js';

function listFindings(findings: readonly Finding[], directory: string): string[] {
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

const describeFixed = (finding: Finding): string =>
  `${kleur.green('fixed')} ${described(finding)} ${(finding.outputs ?? []).map(({ path }) => path).join(', ')} is written. ${kleur.dim(`(${finding.rule})`)}`;

const marked = ({ code }: Finding): string => (code === undefined ? '' : `${kleur.dim(code)} `);

function described({ file, line, message }: Finding): string {
  if (file === undefined) return message;
  const place = line === undefined ? file : `${file}:${line}`;
  return `${kleur.bold(place)}: ${message}`;
}

/** Print likely mistakes and errors that keep a project from booting. `--fix` first applies the safe fixes. Exits with 1 if any remain. */
export async function run({ flags, paths: find }: CommandRun): Promise<void> {
  const paths = find();
  const skipped = typeof flags.skip === 'string' ? flags.skip.split(',').map((name) => name.trim()) : [];
  const look = async (): Promise<Diagnosis> => {
    const { boot, findings } = await examine(paths);
    return { boot, findings: findings.filter(({ rule }) => !skipped.includes(rule)) };
  };
  const first = await look();
  const fixed = flags.fix === true ? fix(paths, first.findings) : [];
  // One fix may have made another unnecessary.
  const { boot, findings } = fixed.length > 0 ? await look() : first;
  if (boot.length > 0 || findings.length > 0) process.exitCode = 1;
  if (flags.json === true) {
    const plain = ({ outputs, ...finding }: Finding) => ({ ...finding, fixable: outputs !== undefined });
    const shown = { boot, findings: findings.map(plain), fixed: fixed.map(plain) };
    return console.log(JSON.stringify(shown, null, 2));
  }
  for (const finding of fixed) console.log(describeFixed(finding));
  if (boot.length > 0) console.error(listProblems(new BootError(boot), paths.root));
  if (boot.length === 0 || findings.length > 0)
    for (const line of listFindings(findings, paths.root)) console.log(line);
}

function fix({ root }: ProjectPaths, findings: readonly Finding[]): Finding[] {
  return findings.filter(({ outputs = [] }) =>
    write(root, outputs).some(({ outcome }) => outcome === 'written'),
  );
}
