import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { statsOf } from './snapshot.js';

/** Milliseconds without a further sign after which one file that has text counts as saved: editors write it in one step. */
const QUIET_MS = 1;

/** Several files: each makes it likelier that more follow, so the silence has to last so much longer, … */
const QUIET_PER_FILE_MS = 5;

/** … up to this, which is more than a formatter takes from one file to the next. */
const MAX_QUIET_MS = 50;

/** A file that is gone: editors rename it away before they write the new one. */
const QUIET_AFTER_REMOVAL_MS = 30;

/** An empty file: some programs truncate first and write later. */
const QUIET_AFTER_EMPTY_MS = 60;

/** After so long the changes so far are reported, though more are coming. */
const MAX_BURST_MS = 1000;

interface Listener {
  pending(file: string): void;
  settled(files: ReadonlySet<string>): void;
  existed(file: string): boolean;
  /** Whether a program is known to be in the middle of changing many files. */
  busy(): boolean;
}

/** Takes changes that belong together as one: it begins with the first and ends with silence. */
export class Burst {
  readonly #on: Listener;
  #files = new Set<string>();
  #began = 0;
  #last = 0;
  #isOpen = false;
  #closed = false;

  constructor(on: Listener) {
    this.#on = on;
  }

  touch(file: string): void {
    if (this.#closed) return;
    this.#last = performance.now();
    this.#files.add(file);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#began = this.#last;
    this.#lookIn(QUIET_MS);
    this.#on.pending(file);
  }

  close(): void {
    this.#closed = true;
    if (this.#isOpen) this.#on.settled(new Set());
  }

  /** Looks after so long. A timer may take a millisecond more, which is longer than all that one file needs. */
  #lookIn(delay: number): void {
    if (delay <= QUIET_MS) setImmediate(() => this.#look());
    else setTimeout(() => this.#look(), delay);
  }

  /**
   * Ends the burst, or waits until it may have ended. `isSure`: the system was asked for more after the silence. Of a process that
   * was kept from running, it may have much to tell.
   */
  #look(isSure = false): void {
    if (this.#closed) return;
    const now = performance.now();
    const least = this.#last + QUIET_MS - now;
    // Only when it may be over, the files are looked at.
    const quiet = least > 0 || !isSure ? least : this.#last + this.#quiet() - now;
    const left = Math.min(quiet, this.#began + MAX_BURST_MS - now);
    if (left > 0) return this.#lookIn(Math.min(left, QUIET_PER_FILE_MS));
    // A timer runs before the system is asked, an immediate after it.
    if (!isSure) return void setImmediate(() => this.#look(true));
    const files = this.#files;
    this.#files = new Set();
    this.#isOpen = false;
    this.#on.settled(files);
  }

  #quiet(): number {
    const several = this.#files.size > 1;
    if (several && this.#on.busy()) return MAX_BURST_MS;
    let quiet = several ? Math.min(this.#files.size * QUIET_PER_FILE_MS, MAX_QUIET_MS) : QUIET_MS;
    for (const file of this.#files) {
      const size = statsOf(file)?.size;
      if (size === 0n) return QUIET_AFTER_EMPTY_MS;
      if (size === undefined && this.#on.existed(file)) quiet = Math.max(quiet, QUIET_AFTER_REMOVAL_MS);
    }
    return quiet;
  }
}

/** Tells whether Git is changing the work tree that `root` is in: it holds a lock from the first file to the last. */
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

/** In a linked work tree and in a submodule, `.git` is a file that names the directory. */
function linkedDirectory(file: string): string | undefined {
  const path = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return path && resolve(dirname(file), path);
}
