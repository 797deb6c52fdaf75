import kleur from 'kleur';
import { readMore } from '../../app/report-problems.js';
import type { BootError, Problem } from '../../kernel/index.js';

/** The number of files that are named below a problem that they share. */
const MAX_OTHER_FILES = 20;

/** Formats every problem of a project for stderr, by code and file, below a count and above a link to the docs. */
export function listProblems({ problems }: BootError, directory: string): string {
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  const rows = () => groupByCause(problems).flatMap(describeGroup);
  return onStderr(() =>
    [kleur.red().bold(`${count} in ${directory}:`), ...rows(), ...hint(problems)].join('\n'),
  );
}

export const describeAlone = (problem: Problem): string =>
  onStderr(() => [indented(problem, ''), ...hint([problem])].join('\n'));

/** A deleted module is a problem of each file that imports it, with the same message but for the file. */
function groupByCause(problems: readonly Problem[]): Problem[][] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const { code, file = '', message } = problem;
    const cause = code === 'FWK108' ? message.replaceAll(file, '') : `${groups.size}`;
    const group = groups.get(cause);
    if (group) group.push(problem);
    else groups.set(cause, [problem]);
  }
  return [...groups.values()];
}

function describeGroup([first, ...others]: Problem[]): string[] {
  if (first === undefined) return [];
  const shown = indented(first, '  ');
  if (others.length < 3) return [shown, ...others.map((other) => indented(other, '  '))];
  const places = others.slice(0, MAX_OTHER_FILES).map(placeOf).join(', ');
  const rest = others.length - MAX_OTHER_FILES;
  return [shown, kleur.dim(`      The same in ${places}${rest > 0 ? ` and ${rest} more files` : ''}.`)];
}

const placeOf = ({ file, line }: Problem): string => (line === undefined ? `${file}` : `${file}:${line}`);

function indented(problem: Problem, margin: string): string {
  const { file, code, message, excerpt } = problem;
  // A plugin in JavaScript may omit it.
  const mark = code === undefined ? '' : `${kleur.dim(code)} `;
  const place = file === undefined ? '' : `${kleur.bold(placeOf(problem))}: `;
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
