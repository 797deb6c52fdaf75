import kleur from 'kleur';
import { readMore } from '../../app/report-problems.js';
import type { BootError, Problem } from '../../kernel/index.js';

/** Formats every problem of a project for stderr, by code and file, below a count and above a link to the docs. */
export function listProblems({ problems }: BootError, directory: string): string {
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  const rows = () => problems.map((problem) => indented(problem, '  '));
  return onStderr(() =>
    [kleur.red().bold(`${count} in ${directory}:`), ...rows(), ...hint(problems)].join('\n'),
  );
}

export const describeAlone = (problem: Problem): string =>
  onStderr(() => [indented(problem, ''), ...hint([problem])].join('\n'));

function indented(problem: Problem, margin: string): string {
  const { file, line, code, message, excerpt } = problem;
  // A plugin in JavaScript may omit it.
  const mark = code === undefined ? '' : `${kleur.dim(code)} `;
  const place = file === undefined ? '' : `${kleur.bold(line === undefined ? file : `${file}:${line}`)}: `;
  const below = excerpt?.split('\n').map((row) => `  ${kleur.dim(row)}`) ?? [];
  return [`${mark}${place}${message}`, ...below].map((row) => `${margin}${row}`).join('\n');
}

const hint = (problems: readonly Problem[]): string[] => readMore(problems).map((line) => kleur.dim(line));

/** The result of `draw`, in color only if stderr is a color terminal; kleur checks stdout alone. `NO_COLOR` and `FORCE_COLOR` apply. */
export function onStderr(draw: () => string): string {
  const onStdout = kleur.enabled;
  if (process.env.FORCE_COLOR === undefined)
    kleur.enabled =
      process.stderr.isTTY === true && process.stderr.hasColors() && !('NO_COLOR' in process.env);
  try {
    return draw();
  } finally {
    kleur.enabled = onStdout;
  }
}
