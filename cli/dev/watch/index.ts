import type { Problem, ProjectPaths } from '../../../kernel/index.js';
import { Burst, gitWrites } from './burst.js';
import { DirectoryEvents } from './directory-events.js';
import { Relevance } from './relevance.js';
import { SingleFiles } from './single-files.js';
import { type Change, Snapshot } from './snapshot.js';
import { Tree } from './tree.js';

export type { Change } from './snapshot.js';

export interface Watcher {
  close(): void;
  /** Also watch these files, which are outside the root. */
  add(files: Iterable<string>): void;
}

interface Listener {
  /** The first event of a change: `file` may have been saved. `changes` follows, possibly with no changes. */
  pending(file: string): void;
  /** Called once per burst with the absolute paths of files that differ from the last report. Empty if no file really changed. */
  changes(files: ReadonlyMap<string, Change>): void;
  /** Directories are polled automatically, so changes in them are detected later. */
  polling(problem: Problem): void;
}

/** This many files at once may have overflowed the system's event queue, so all files are checked. */
const MAX_TRUSTED_FILES = 100;

/** Watch the project's modules, settings and templates, and files in `uses`. `isPolled`: poll all directories, or never poll. */
export function watch(
  paths: ProjectPaths,
  mode: string,
  on: Listener,
  uses: (file: string) => boolean,
  isPolled?: boolean,
): Watcher {
  const relevance = new Relevance(paths, mode, uses);
  const snapshot = new Snapshot();
  const burst = new Burst({
    pending: (file) => on.pending(file),
    settled: reportChanges,
    existed: (file) => snapshot.has(file),
    busy: gitWrites(paths.root),
  });
  const touched = (file: string) => {
    if (relevance.matters(file)) burst.touch(file);
  };
  const events = new DirectoryEvents(paths.root, isPolled, {
    fileCount: () => snapshot.size,
    missed: () => tree.differing().forEach(touched),
    problem: (problem) => on.polling(problem),
  });
  const singles = new SingleFiles((file, renamed) => tree.look(file, renamed), events);
  const tree = new Tree({ relevance, snapshot, singles, events, touched });

  const pending = new Set<string>();
  tree.begin();
  addSingles(relevance.settings);
  return {
    add: addSingles,
    close() {
      burst.close();
      singles.close();
      tree.close();
      events.close();
    },
  };

  function addSingles(files: Iterable<string>): void {
    for (const file of files) {
      if (pending.has(file)) continue;
      pending.add(file);
      if (relevance.isWatched(file) || singles.has(file)) continue;
      relevance.include(file);
      snapshot.record(file, true);
      singles.add(file);
    }
  }

  function reportChanges(files: ReadonlySet<string>): void {
    const doubtful = files.size >= MAX_TRUSTED_FILES ? tree.differing() : [];
    const changes = new Map<string, Change>();
    for (const file of [...files, ...doubtful]) {
      const change = snapshot.renew(file);
      if (change) changes.set(file, change);
    }
    if ([...changes.keys()].some((file) => relevance.isSetting(file))) addSingles(relevance.readSettings());
    on.changes(changes);
  }
}
