import type { Project, ProviderInfo } from 'fwkit/plugin';
import type { Graph } from '../graph/index.js';
import { isAdded, isDeleted, type SourceChange } from './versions.js';

/** The values of `ctx` that are there while a directory has a file. */
const PROVIDED = new Map([
  ['ws/', 'rooms'],
  ['queues/', 'queues'],
]);

/** How a value says that it is one of a session. */
const SESSION = /['"`]session['"`]/;

/**
 * A sentence for each change by which the app has sessions and had none, or has none any more: what finds them, and what is checked
 * because of them, is around all routes.
 */
export function sessionsComeOrGo(
  changes: readonly SourceChange[],
  providers: readonly ProviderInfo[],
): string[] {
  const sessions = providers.filter(({ lifetime }) => lifetime === 'session').map(({ file }) => file);
  const values = changes.filter(({ source }) => source.startsWith('di/'));
  if (sessions.some((file) => !values.some(({ source }) => source === file))) return [];
  const now = values.filter(({ source }) => sessions.includes(source));
  const then = values.filter(({ before }) => before !== undefined && SESSION.test(before.toString()));
  if (now.length > 0 === then.length > 0) return [];
  const [own, what] =
    now.length > 0 ? [now, 'has sessions, and had none'] : [then, 'has no session any more'];
  return own.map(({ file }) => `Everything is reached: with ${file} the app ${what}.`);
}

/** A sentence for each value of `ctx` that comes with the first file of a directory, or goes with the last, and that a module may read. */
export function valuesComeOrGo(
  changes: readonly SourceChange[],
  { entries }: Pick<Project, 'entries'>,
  graphs: readonly Graph[],
): string[] {
  return [...PROVIDED].flatMap(([directory, key]) => {
    const isIn = (file: string): boolean => file.startsWith(directory);
    const own = changes.filter(({ source }) => isIn(source));
    const added = new Set(own.filter(isAdded).map(({ source }) => source));
    const there = entries.filter(({ file }) => isIn(file));
    const isOther = there.every(({ file }) => added.has(file)) && (added.size > 0 || own.some(isDeleted));
    if (!isOther || !isRead(key, graphs, isIn)) return [];
    const what = there.length > 0 ? 'comes' : 'goes';
    return own.map(({ file }) => `Everything is reached: ctx.${key} ${what} with ${file}.`);
  });
}

/** Whether a module outside of the directory has the name of a value. */
function isRead(key: string, graphs: readonly Graph[], isIn: (file: string) => boolean): boolean {
  const word = new RegExp(`\\b${key}\\b`);
  return graphs.some(({ modules }) =>
    [...modules.values()].some(({ file, text }) => !isIn(file) && word.test(text)),
  );
}
