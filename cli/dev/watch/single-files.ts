import { readlinkSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { DirectoryEvents, Watch } from './directory-events.js';

interface Directory {
  readonly watcher: Watch;
  /** By name in this directory, the paths under which users know the files. */
  readonly names: Map<string, Set<string>>;
}

/** How often to look for a directory that was deleted, in milliseconds. */
const RETRY_MS = 300;

/** Watches single files, and the targets of links, through their directories: editors replace files, and a watch stays on the old file. */
export class SingleFiles {
  readonly #directories = new Map<string, Directory>();
  readonly #files = new Set<string>();
  /** Files whose directory does not exist at the moment. */
  readonly #lost = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly look: (file: string, renamed: boolean) => void,
    private readonly events: DirectoryEvents,
  ) {}

  has(file: string): boolean {
    return this.#files.has(file);
  }

  add(file: string): void {
    this.#files.add(file);
    const seen = new Set<string>();
    for (let step: string | undefined = file; step !== undefined && !seen.has(step); step = next(step)) {
      seen.add(step);
      this.#listen(step, file);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { watcher } of this.#directories.values()) watcher.close();
    this.#directories.clear();
  }

  #listen(path: string, file: string): void {
    const directory = dirname(path);
    const known = this.#directories.get(directory) ?? this.#open(directory);
    if (!known) return this.#miss(file);
    const name = basename(path);
    known.names.set(name, (known.names.get(name) ?? new Set()).add(file));
  }

  #open(directory: string): Directory | undefined {
    const watcher = this.events.watch(directory, (event, name) => this.#heard(directory, event, name));
    if (!watcher) return undefined;
    const opened = { watcher, names: new Map() };
    this.#directories.set(directory, opened);
    return opened;
  }

  #miss(file: string): void {
    this.#lost.add(file);
    this.#timer ??= setInterval(() => this.#retry(), RETRY_MS).unref();
  }

  #heard(directory: string, event: string, name: string | null): void {
    const names = this.#directories.get(directory)?.names;
    if (!names) return;
    const files = name === null ? [...names.values()].flatMap((set) => [...set]) : (names.get(name) ?? []);
    for (const file of files) {
      if (event === 'rename') this.add(file);
      this.look(file, event === 'rename');
    }
    // The removal of a directory itself is reported under its name, on Windows under its path.
    if (event === 'rename' && name !== null && basename(name) === basename(directory)) this.#lose(directory);
  }

  /** The directory may be deleted, and its watch with it, even if a new directory has the same name. */
  #lose(directory: string): void {
    const lost = this.#directories.get(directory);
    if (!lost) return;
    lost.watcher.close();
    this.#directories.delete(directory);
    for (const file of [...lost.names.values()].flatMap((set) => [...set])) {
      this.add(file);
      this.look(file, true);
    }
  }

  #retry(): void {
    const lost = [...this.#lost];
    this.#lost.clear();
    for (const file of lost) this.add(file);
    for (const file of lost) if (!this.#lost.has(file)) this.look(file, true);
    if (this.#lost.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function next(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}
