import path from 'node:path';
import type { Project, ProviderInfo } from 'fwkit/plugin';
import { fileOf, idOf } from '../facts/facts.js';
import { INIT } from '../facts/units.js';
import type { Graph } from '../graph/graph.js';
import { isTestFile } from './file-kinds.js';
import { importedPackages, relocked } from './packages.js';
import type { Spread } from './spread.js';
import { isAdded, isDeleted, type SourceChange } from './versions.js';

/** The packages that a change of lock files is about; or a sentence that says why it is about everything. */
export function changedPackages(
  changes: readonly SourceChange[],
  graphs: readonly Graph[],
  dependencies: readonly string[],
): { readonly packages: ReadonlySet<string>; readonly everything: readonly string[] } {
  const packages = new Set<string>();
  const everything: string[] = [];
  if (changes.length === 0) return { packages, everything };
  const imported = new Set(graphs.flatMap((graph) => [...importedPackages(graph)]));
  for (const { file, before, after, isWhole } of changes) {
    const found = isWhole
      ? 'everything'
      : relocked(path.posix.basename(file), before?.toString(), after?.toString());
    if (found === 'everything') {
      everything.push(`Everything is reached: which versions ${file} changes is not known.`);
      continue;
    }
    for (const name of found) {
      packages.add(name);
      if (/^fwkit$|^@fwkit\//.test(name))
        everything.push(`Everything is reached: ${file} has another ${name}.`);
      else if (dependencies.includes(name) && !imported.has(name))
        everything.push(
          `Everything is reached: ${file} has another ${name}, which no module imports by its name.`,
        );
    }
  }
  return { packages, everything };
}

const CONFIG = /^fwk\.config\.m?[tj]s$/;

/** The modules that are the beginning of everything, and are reached: each with a sentence. */
export function reachedBeginnings(
  project: Pick<Project, 'display'>,
  graph: Graph,
  spread: Spread,
  isKnown: (file: string) => boolean,
): string[] {
  const sentences: string[] = [];
  for (const file of graph.modules.keys()) {
    const isConfig = CONFIG.test(file);
    if (isKnown(file) || (!isConfig && isImported(graph, file)) || !spread.reachesFile(file)) continue;
    const shown = project.display(file);
    if (!isConfig && isTestFile(shown)) continue;
    const [, ...way] = spread.way(file).map((one) => project.display(one));
    const by = way.length === 0 ? '' : ` (${[shown, ...way].join(' → ')})`;
    sentences.push(
      isConfig
        ? `Everything is reached: the app is made with ${shown}${by}.`
        : `Everything is reached: nothing imports ${shown}, so it may be what starts the app${by}.`,
    );
  }
  return sentences;
}

/** Whether another module imports it. */
const isImported = (graph: Graph, file: string): boolean =>
  [...(graph.modules.get(file)?.units.keys() ?? [INIT])].some((unit) =>
    graph.usersOf(idOf(file, unit)).some((user) => fileOf(user) !== file && graph.modules.has(fileOf(user))),
  );

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
