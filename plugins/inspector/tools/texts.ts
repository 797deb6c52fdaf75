import type { ShownBody } from '../body-text.js';
import type { Failure, ShownProblem } from '../failure.js';
import type { Inspector, ReloadRecord } from '../inspector.js';

/** For people and models: which version an answer is about, and what keeps the last save from being served. */
export function versionNotes({ problems, version, versions, reloads }: Inspector): readonly string[] {
  const took = reloads.find(({ isServed }) => isServed)?.duration;
  const time = took === undefined ? '' : `, served in ${took.toFixed(0)} ms`;
  const served = version ? [`Version ${versions}${time}.`] : [];
  if (problems.length === 0) return served;
  const what = version
    ? 'NOTE: the last save is not served. This is the version before it. What is wrong:'
    : 'NOTE: nothing is served yet. What is wrong:';
  return [...served, `${what}\n${problems.map(problemText).join('\n')}`];
}

export const problemText = ({ file, message, excerpt, code }: ShownProblem): string => {
  const place = file === undefined ? '' : `${file}: `;
  const shown = excerpt === undefined ? '' : `\n${excerpt.replace(/^/gm, '    ')}`;
  return `- ${place}${message}${code === undefined ? '' : ` (${code})`}${shown}`;
};

/** An error with its source and stack. */
export function failureText({ at, where, traces, code }: Failure): string {
  const told = traces.map(({ headline, source, stack }, index) => {
    const rows = source?.rows.map(
      ({ number, text }) => `${number === source.line ? '>' : ' '} ${String(number).padStart(4)} | ${text}`,
    );
    return [
      index === 0 ? headline : `Caused by ${headline}`,
      ...(source ? [source.place, ...(rows ?? [])] : []),
      ...stack.filter(({ origin }) => origin !== 'node').map(({ text }) => `    at ${text}`),
    ].join('\n');
  });
  return `${where}, ${ago(at)}${code === undefined ? '' : `, ${code}`}\n${told.join('\n')}`;
}

export function reloadText({ at, isServed, files, duration, routes, problems, notes }: ReloadRecord): string {
  const { added, removed, changed } = routes;
  const count = added.length + removed.length + changed.length;
  const listed = (sign: string, labels: readonly string[]) => labels.map((label) => `  ${sign} ${label}`);
  const what = files.length > 0 ? files.join(', ') : 'the project';
  if (!isServed)
    return `${what}, ${ago(at)}: NOT served. The version before goes on.\n${problems.map(problemText).join('\n')}`;
  return [
    `${what}, ${ago(at)}: served in ${duration.toFixed(0)} ms, ${count === 1 ? '1 route' : `${count} routes`} changed`,
    ...listed('+', added),
    ...listed('-', removed),
    ...listed('~', changed),
    ...notes.map((note) => `  ! ${note}`),
  ].join('\n');
}

export const bodyText = (body: ShownBody | undefined): string =>
  body === undefined ? '(no body)' : [body.text, body.note && `(${body.note}.)`].filter(Boolean).join('\n');

/** `12 s ago` */
export function ago(at: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}
