import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/index.js';
import type { Kept, SharedMemory } from '../../peers/index.js';
import { markStable } from '../http/internal.js';
import type { Entry } from './compute.js';

export interface SharedEntriesOptions {
  readonly memory: SharedMemory;
  readonly maxSize: number;
  /** Seconds for which the longest of them is kept. */
  readonly lifetime: number;
  readonly clock: Clock;
}

/** Bytes that may be on their way to the memory: one that is slow must not fill this process. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
/** In bytes: what an entry takes beside its body. */
const OVERHEAD_BYTES = 1_024;

/**
 * Responses that all processes of an app have in common. Nothing of it rejects: where the memory is away, nothing is found, and nothing
 * is kept. It is bounded by what is put in during a lifetime, since nobody knows what is still there: when that is used up, what is
 * computed stays with the process that has computed it.
 */
export class SharedEntries {
  readonly #memory: SharedMemory;
  readonly #budget: number;
  readonly #lifetime: number;
  readonly #clock: Clock;
  readonly #tags: TagMarks;
  #pendingBytes = 0;
  /** The number of the lifetime in which no room is left. */
  #fullIn = -1;

  constructor({ memory, maxSize, lifetime, clock }: SharedEntriesOptions) {
    this.#clock = clock;
    this.#memory = memory;
    // What is kept was put in during two of them at most.
    this.#budget = maxSize / 2;
    this.#lifetime = Math.max(1, lifetime);
    this.#tags = new TagMarks(memory, this.#lifetime);
  }

  async get(key: string): Promise<Entry | undefined> {
    try {
      const kept = await this.#memory.get(nameOf(key));
      const found = kept && read(kept, this.#clock.now());
      return found && (await this.#tags.hold(found.entry.tags, found.marks)) ? found.entry : undefined;
    } catch {
      return undefined;
    }
  }

  /** What to give `set` for a response that is computed from now on; undefined where it cannot be kept. */
  async begin(tags: readonly string[]): Promise<readonly string[] | undefined> {
    return this.#tags.read(tags).catch(() => undefined);
  }

  /** Keep a response for `seconds`. `marks`: what `begin` gave before it was computed, by which it is known if it is purged meanwhile. */
  async set(key: string, entry: Entry, marks: readonly string[], seconds: number): Promise<void> {
    const texts = fieldsOf(entry, marks, seconds);
    const size = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text), OVERHEAD_BYTES);
    const lifetime = Math.floor(this.#clock.date() / 1_000 / this.#lifetime);
    if (seconds < 1 || lifetime === this.#fullIn || this.#pendingBytes + size > MAX_PENDING_BYTES) return;
    this.#pendingBytes += size;
    try {
      const sum = await this.#memory.add(`bytes ${lifetime}`, size, 2 * this.#lifetime);
      if (sum > this.#budget) this.#fullIn = lifetime;
      else await this.#memory.put(nameOf(key), texts, seconds);
    } catch {
      // It is computed again elsewhere.
    } finally {
      this.#pendingBytes -= size;
    }
  }

  /** Have nobody find what has one of these tags. Where that cannot be told, it is told again until it is. */
  purge(tags: readonly string[]): void {
    this.#tags.change(tags);
  }

  close(): void {
    this.#tags.close();
  }
}

/** Of a bounded length, whatever a client asks for. */
const nameOf = (key: string): string => `response ${createHash('sha256').update(key).digest('base64url')}`;

function fieldsOf({ status, type, headers, bytes, tags }: Entry, marks: readonly string[], seconds: number) {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Of both, an entry has one: it takes the place of one that may have had the other.
  const [text, base64] = isUtf8(body) ? [body.toString(), ''] : ['', body.toString('base64')];
  const about = JSON.stringify({ status, type, headers, tags, marks, seconds, id: randomUUID() });
  return { about, text, base64 };
}

/** What was kept as `fieldsOf` has it: another version of fwk may have written it. */
function read(
  { fields: { about = '', text = '', base64 = '' }, left }: Kept,
  now: number,
): { readonly entry: Entry; readonly marks: readonly string[] } | undefined {
  const { status, type, headers, tags, marks, seconds } = JSON.parse(about);
  if (!Number.isInteger(status) || ![headers, tags, marks].every(isTexts) || !Number.isFinite(seconds))
    return undefined;
  if (type !== undefined && typeof type !== 'string') return undefined;
  const bytes = base64 === '' ? Buffer.from(text) : Buffer.from(base64, 'base64');
  markStable(bytes);
  // By the clock of the memory alone: those of machines differ.
  const at = now - Math.max(0, seconds - left) * 1_000;
  return { entry: { status, type, headers, bytes, tags, at }, marks };
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The interval between attempts to change marks while the memory is unavailable, in milliseconds. */
const RETRY_MS = 1_000;
/** The most tags that may wait to be changed. If there are more, everything is purged. */
const MAX_WAITING = 1_000;
/** The tag of all responses. */
const ALL = '';

/**
 * Random texts by tag, in a shared memory. A response keeps those of its tags from before it was computed; a purge changes them, and it is
 * not found any more. A mark that is gone is another one, so what a memory forgets is purged, too.
 */
class TagMarks {
  readonly #memory: SharedMemory;
  /** Seconds for which a mark is kept: longer than each response that has it. */
  readonly #maxAge: number;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `lifetime`: of the response that is kept longest, in seconds. */
  constructor(memory: SharedMemory, lifetime: number) {
    this.#memory = memory;
    this.#maxAge = 2 * lifetime + 60;
  }

  /** The marks of the tags, and the mark of all responses. A tag without a mark gets a new one. */
  read(tags: readonly string[]): Promise<readonly string[]> {
    return Promise.all([ALL, ...tags].map((tag) => this.#markOf(tag)));
  }

  async hold(tags: readonly string[], marks: readonly string[]): Promise<boolean> {
    const all = [ALL, ...tags];
    if (all.length !== marks.length || all.some((tag) => this.#isChanging(tag))) return false;
    const kept = await Promise.all(all.map((tag) => this.#memory.get(markName(tag))));
    return kept.every((one, index) => one?.fields.mark === marks[index]);
  }

  /** Change the marks of tags. Never rejects: marks that cannot be changed now are changed later. */
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
      await this.#memory.put(markName(tag), { mark: randomUUID() }, this.#maxAge);
      this.#waiting.delete(tag);
    });
    await Promise.allSettled(told);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => void this.#tell(), RETRY_MS).unref();
  }

  #isChanging(tag: string): boolean {
    return this.#waiting.size > 0 && (this.#waiting.has(tag) || this.#waiting.has(ALL));
  }

  async #markOf(tag: string): Promise<string> {
    const name = markName(tag);
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

const markName = (tag: string): string => `tag ${tag}`;
