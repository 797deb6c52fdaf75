import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { statsOf } from './snapshot.js';

/** Milliseconds without events after which a single file with content counts as saved: editors write it in one step. */
const QUIET_MS = 1;

/** If several files have changed, more are likely to follow, so each file extends the wait by this much, … */
const QUIET_PER_FILE_MS = 5;

/** … up to this limit, which is longer than a formatter takes between two files. */
const MAX_QUIET_MS = 50;

/** For a deleted file: editors rename it before they write the new one. */
const QUIET_AFTER_REMOVAL_MS = 30;

/** For an empty file: some programs truncate it first and write later. */
const QUIET_AFTER_EMPTY_MS = 60;

/** After this time the changes so far are reported, even if more are coming. */
const MAX_BURST_MS = 1000;

interface Listener {
  pending(file: string): void;
  settled(files: ReadonlySet<string>): void;
  existed(file: string): boolean;
  /** Whether a program is known to be changing many files right now. */
  busy(): boolean;
}

/** Groups changes that belong together into a burst, which begins with the first change and ends with silence. */
export class Burst {
  #files = new Set<string>();
  #began = 0;
  #last = 0;
  #isOpen = false;
  #closed = false;

  constructor(private readonly on: Listener) {}

  touch(file: string): void {
    if (this.#closed) return;
    this.#last = performance.now();
    this.#files.add(file);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#began = this.#last;
    this.#checkAfter(QUIET_MS);
    this.on.pending(file);
  }

  close(): void {
    this.#closed = true;
    if (this.#isOpen) this.on.settled(new Set());
  }

  /** Checks after this delay. A timer may take a millisecond longer, which is more than a single file needs. */
  #checkAfter(delay: number): void {
    if (delay <= QUIET_MS) setImmediate(() => this.#look());
    else setTimeout(() => this.#look(), delay);
  }

  /** Ends the burst, or waits until it may have ended. `isSure`: pending events were read after the silence. */
  #look(isSure = false): void {
    if (this.#closed) return;
    const now = performance.now();
    const least = this.#last + QUIET_MS - now;
    // The files are read only when the burst may be over.
    const quiet = least > 0 || !isSure ? least : this.#last + this.#quiet() - now;
    const left = Math.min(quiet, this.#began + MAX_BURST_MS - now);
    if (left > 0) return this.#checkAfter(Math.min(left, QUIET_PER_FILE_MS));
    // A timer runs before pending events are read, an immediate runs after that.
    if (!isSure) return void setImmediate(() => this.#look(true));
    const files = this.#files;
    this.#files = new Set();
    this.#isOpen = false;
    this.on.settled(files);
  }

  #quiet(): number {
    const several = this.#files.size > 1;
    if (several && this.on.busy()) return MAX_BURST_MS;
    let quiet = several ? Math.min(this.#files.size * QUIET_PER_FILE_MS, MAX_QUIET_MS) : QUIET_MS;
    for (const file of this.#files) {
      const size = statsOf(file)?.size;
      if (size === 0n) return QUIET_AFTER_EMPTY_MS;
      if (size === undefined && this.on.existed(file)) quiet = Math.max(quiet, QUIET_AFTER_REMOVAL_MS);
    }
    return quiet;
  }
}

/** Checks whether Git is changing the work tree that `root` is in: Git holds a lock from the first file to the last. */
export function gitWrites(root: string): () => boolean {
  const directory = gitDirectory(root);
  if (directory === undefined) return () => false;
  const lock = join(directory, 'index.lock');
  return () => existsSync(lock);
}

function gitDirectory(directory: string): string | undefined {
  const path = join(directory, '.git');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  if (stats?.isFile()) return linkedDirectory(path);
  return dirname(directory) === directory ? undefined : gitDirectory(dirname(directory));
}

/** In a linked work tree or a submodule, `.git` is a file with the path of the directory. */
function linkedDirectory(file: string): string | undefined {
  const path = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return path && resolve(dirname(file), path);
}
