import { randomUUID } from 'node:crypto';
import type { SharedMemory } from '../../kernel/index.js';

/** How often it is tried again to tell of what was purged, in milliseconds. */
const RETRY_MS = 1_000;
/** How many tags may wait for that; where there are more, all is purged. */
const MAX_WAITING = 1_000;
/** The tag of all responses. */
const ALL = '';

/**
 * Random texts by tag, in a shared memory. A response keeps those of its tags from before it was computed; a purge changes them, and it is
 * not found any more. A mark that is gone is another one, so what a memory forgets is purged, too.
 */
export class TagMarks {
  readonly #memory: SharedMemory;
  /** Seconds for which a mark is kept: longer than each response that has it. */
  readonly #maxAge: number;
  /** Tags whose marks could not be changed yet. */
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `lifetime`: of the response that is kept longest, in seconds. */
  constructor(memory: SharedMemory, lifetime: number) {
    this.#memory = memory;
    this.#maxAge = 2 * lifetime + 60;
  }

  /** The marks of tags, and of all: of each that has none, a new one. */
  read(tags: readonly string[]): Promise<readonly string[]> {
    return Promise.all([ALL, ...tags].map((tag) => this.#markOf(tag)));
  }

  /** Whether the marks of tags are still what `read` gave. */
  async hold(tags: readonly string[], marks: readonly string[]): Promise<boolean> {
    const all = [ALL, ...tags];
    if (all.length !== marks.length || all.some((tag) => this.#isChanging(tag))) return false;
    const kept = await Promise.all(all.map((tag) => this.#memory.get(nameOf(tag))));
    return kept.every((one, index) => one?.fields.mark === marks[index]);
  }

  /** Change marks. Never rejects: what cannot be changed now is changed later. */
  change(tags: readonly string[]): void {
    for (const tag of tags) this.#waiting.add(tag);
    if (this.#waiting.size > MAX_WAITING) {
      this.#waiting.clear();
      this.#waiting.add(ALL);
    }
    void this.#tell();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    const told = [...this.#waiting].map(async (tag) => {
      await this.#memory.put(nameOf(tag), { mark: randomUUID() }, this.#maxAge);
      this.#waiting.delete(tag);
    });
    await Promise.allSettled(told);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => void this.#tell(), RETRY_MS).unref();
  }

  #isChanging(tag: string): boolean {
    return this.#waiting.size > 0 && (this.#waiting.has(tag) || this.#waiting.has(ALL));
  }

  async #markOf(tag: string): Promise<string> {
    const name = nameOf(tag);
    const kept = await this.#memory.get(name);
    if (kept?.fields.mark !== undefined) {
      if (kept.left < this.#maxAge / 2) await this.#memory.put(name, {}, this.#maxAge, 'existing');
      return kept.fields.mark;
    }
    const mark = randomUUID();
    if (await this.#memory.put(name, { mark }, this.#maxAge, 'new')) return mark;
    return this.#markOf(tag);
  }
}

const nameOf = (tag: string): string => `tag ${tag}`;
