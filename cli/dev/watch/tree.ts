import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { type DirectoryEvents, isAbsence, type Watch, type WatchListener } from './directory-events.js';
import type { Relevance } from './relevance.js';
import type { SingleFiles } from './single-files.js';
import type { Snapshot } from './snapshot.js';
import { statsOf } from './snapshot.js';

interface Parts {
  readonly events: DirectoryEvents;
  readonly relevance: Relevance;
  readonly snapshot: Snapshot;
  readonly singles: SingleFiles;
  touched(file: string): void;
}

interface Directory {
  readonly id: string;
  readonly watcher: Watch | undefined;
}

export class Tree {
  readonly #directories = new Map<string, Directory>();

  constructor(private readonly parts: Parts) {}

  begin(): void {
    const { relevance, snapshot } = this.parts;
    this.#enter(relevance.root, (file) => snapshot.record(file, relevance.matters(file)));
  }

  /** `path` has changed; `renamed` if it may have been created or deleted. */
  look(path: string, renamed: boolean): void {
    const { relevance, snapshot, touched } = this.parts;
    const isKnown = this.#directories.has(path);
    if (!renamed) return isKnown ? undefined : touched(path);
    const isDirectory = statsOf(path)?.isDirectory() ?? false;
    if (isLink(path)) this.#follow(path, isDirectory);
    // A directory that reappears may be a different directory with the same name, so its watches are stale.
    const left = isKnown ? this.#leave(path) : [];
    if (isDirectory && !relevance.skips(path)) this.#enter(path, touched);
    for (const file of left) touched(file);
    if (!isDirectory || snapshot.has(path)) touched(path);
  }

  differing(): string[] {
    const { relevance, snapshot } = this.parts;
    const files = new Set(snapshot.below(''));
    this.#enter(relevance.root, (file) => files.add(file));
    return [...files].filter((file) => relevance.matters(file) && snapshot.compare(file) !== undefined);
  }

  close(): void {
    for (const { watcher } of this.#directories.values()) watcher?.close();
    this.#directories.clear();
  }

  /** Watch `directory` and everything below it; `found` is called for each file that exists at that time. */
  #enter(directory: string, found: (file: string) => void): void {
    const { relevance } = this.parts;
    if (!this.#listen(directory)) return;
    // Read after the watch is set, so that a file created meanwhile is in the list, an event, or both.
    for (const dirent of list(directory)) {
      const path = join(directory, dirent.name);
      const isDirectory =
        dirent.isDirectory() || (dirent.isSymbolicLink() && statsOf(path)?.isDirectory() === true);
      if (isDirectory && relevance.skips(path)) continue;
      if (dirent.isSymbolicLink()) this.#follow(path, isDirectory);
      if (isDirectory) this.#enter(path, found);
      else found(path);
    }
  }

  #follow(link: string, isDirectory: boolean): void {
    const { relevance, singles } = this.parts;
    if (isDirectory ? !relevance.skips(link) : relevance.matters(link)) singles.add(link);
  }

  /** False if there is nothing to watch: no directory, or a directory that contains itself through a link. */
  #listen(directory: string): boolean {
    if (this.#directories.has(directory)) return true;
    const stats = statsOf(directory);
    if (!stats) return false;
    const id = `${stats.dev} ${stats.ino}`;
    const above = this.#above(directory);
    if (above.some((known) => known.id === id)) return false;
    const { events, singles } = this.parts;
    const isCovered = events.isRecursive && above.length > 0 && !singles.has(directory);
    const heard: WatchListener = (event, name) => this.#heard(directory, event, name);
    const watcher = isCovered ? undefined : events.watch(directory, heard, stats.dev);
    this.#directories.set(directory, { id, watcher });
    return true;
  }

  #above(directory: string): Directory[] {
    const above: Directory[] = [];
    for (
      let path = dirname(directory);
      path.length >= this.parts.relevance.root.length;
      path = dirname(path)
    ) {
      const known = this.#directories.get(path);
      if (known) above.push(known);
      if (path === dirname(path)) break;
    }
    return above;
  }

  #heard(directory: string, event: string, name: string | null): void {
    // The system's event queue overflowed.
    if (name === null) return this.differing().forEach((file) => void this.parts.touched(file));
    const path = join(directory, name);
    if (!this.parts.relevance.isWatched(path)) return;
    // The removal of a directory itself is reported under its own name.
    if (event === 'rename' && name === basename(directory) && !statsOf(directory))
      return this.look(directory, true);
    this.look(path, event === 'rename');
  }

  #leave(directory: string): string[] {
    const below = directory + sep;
    for (const [path, { watcher }] of this.#directories) {
      if (path !== directory && !path.startsWith(below)) continue;
      watcher?.close();
      this.#directories.delete(path);
    }
    return this.parts.snapshot.below(below);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (thrown) {
    if (isAbsence(thrown)) return [];
    throw thrown;
  }
}
