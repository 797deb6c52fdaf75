import type { Problem, ProjectPaths } from '../../../kernel/index.js';
import { Burst, gitWrites } from './burst.js';
import { describeFailure, isSilent, Polling } from './polling.js';
import { Relevance } from './relevance.js';
import { SingleFiles } from './single-files.js';
import { type Change, Snapshot } from './snapshot.js';
import { Tree } from './tree.js';

export type { Change } from './snapshot.js';

export interface Watcher {
  close(): Promise<void>;
  /** Watch these files too; those outside the root. */
  add(files: Iterable<string>): void;
}

interface Listener {
  /** The first sign of a change: `file` may have been saved; `changes` follows, perhaps empty. */
  pending(file: string): void;
  /** Once per burst: absolute paths of files that differ from the last report. Empty if all was noise. */
  changes(files: ReadonlyMap<string, Change>): void;
  /** Not every change may be seen at once from now on; the message says why, and what to do. */
  failed?(problem: Problem): void;
}

/** So many files at once may have been more than the system's queue of events holds: look at all of them. */
const MAX_TRUSTED_FILES = 100;

/**
 * Watch the project: its modules, settings and templates, and the other files that it `uses`. Resolves when it watches:
 * whatever is saved from then on is reported.
 */
export async function watch(
  paths: ProjectPaths,
  mode: string,
  on: Listener,
  uses: (file: string) => boolean,
): Promise<Watcher> {
  const relevance = new Relevance(paths, mode, uses);
  const snapshot = new Snapshot();
  const burst = new Burst({
    pending: (file) => on.pending(file),
    settled: tell,
    existed: (file) => snapshot.has(file),
    busy: gitWrites(paths.root),
  });
  const touched = (file: string) => {
    if (relevance.matters(file)) burst.touch(file);
  };
  const polling = new Polling(() => {
    for (const file of tree.differing()) touched(file);
  });
  const failed = (thrown: unknown) => {
    if (polling.runs) return;
    polling.start();
    on.failed?.(describeFailure(thrown));
  };
  const singles = new SingleFiles((file, renamed) => tree.look(file, renamed), failed);
  const tree = new Tree({ relevance, snapshot, singles, touched, failed });

  const asked = new Set<string>();
  tree.begin();
  addSingles(relevance.settings);
  if (isSilent(paths.root) && !polling.runs) polling.start();
  return {
    add: addSingles,
    async close() {
      polling.stop();
      burst.close();
      singles.close();
      tree.close();
    },
  };

  function addSingles(files: Iterable<string>): void {
    for (const file of files) {
      if (asked.has(file)) continue;
      asked.add(file);
      if (relevance.isInside(file) || singles.has(file)) continue;
      relevance.include(file);
      snapshot.record(file, true);
      singles.add(file);
    }
  }

  function tell(files: ReadonlySet<string>): void {
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
