import path from 'node:path';
import type { Project } from 'fwkit/plugin';
import { fileOf, type Graph, INIT, idOf } from '../graph/index.js';
import { isTestFile } from './file-kinds.js';
import { importedPackages } from './linked-packages.js';
import { relocked } from './lock-files.js';
import type { Spread } from './spread.js';
import type { SourceChange } from './versions.js';

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
