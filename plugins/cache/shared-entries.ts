import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/index.js';
import type { MemoryEntry, SharedMemory } from '../../peers/index.js';
import { markStable } from '../http/internal.js';
import type { Entry } from './compute.js';

export interface SharedEntriesOptions {
  readonly memory: SharedMemory;
  readonly maxSize: number;
  /** The longest lifetime of a response, in seconds. */
  readonly lifetime: number;
  readonly clock: Clock;
}

/** Maximum bytes in transit to the shared memory: a slow memory must not fill this process. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
/** Overhead of an entry, excluding its body, in bytes. */
const OVERHEAD_BYTES = 1_024;

/**
 * Responses that all processes of an app share. Its methods never reject: if the memory is
 * unavailable, nothing is found and nothing is stored. The size limit applies to the responses
 * stored during one lifetime, because no process knows which responses still exist. When the limit
 * is reached, a response stays in the process that computed it.
 */
export class SharedEntries {
  readonly #memory: SharedMemory;
  readonly #budget: number;
  readonly #lifetime: number;
  readonly #clock: Clock;
  readonly #tags: TagMarks;
  #pendingBytes = 0;
  /** The number of the lifetime in which the limit was reached. */
  #fullIn = -1;

  constructor({ memory, maxSize, lifetime, clock }: SharedEntriesOptions) {
    this.#clock = clock;
    this.#memory = memory;
    // The existing responses were stored during at most two lifetimes.
    this.#budget = maxSize / 2;
    this.#lifetime = Math.max(1, lifetime);
    this.#tags = new TagMarks(memory, this.#lifetime);
  }

  async get(key: string): Promise<Entry | undefined> {
    try {
      const stored = await this.#memory.get(nameOf(key));
      const found = stored && read(stored, this.#clock.now());
      return found && (await this.#tags.hold(found.entry.tags, found.marks)) ? found.entry : undefined;
    } catch {
      return undefined;
    }
  }

  /** The marks to pass to `set` for a response that is computed now; undefined if it cannot be stored. */
  async begin(tags: readonly string[]): Promise<readonly string[] | undefined> {
    return this.#tags.read(tags).catch(() => undefined);
  }

  /** Store a response for `seconds`, with the `marks` of `begin`, which reveal a purge since then. */
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
      // Another process computes it again.
    } finally {
      this.#pendingBytes -= size;
    }
  }

  /** Make responses with one of these tags unfindable. Retries while the memory is unavailable. */
  purge(tags: readonly string[]): void {
    this.#tags.change(tags);
  }

  close(): void {
    this.#tags.close();
  }
}

/** A name of bounded length for any request. */
const nameOf = (key: string): string => `response ${createHash('sha256').update(key).digest('base64url')}`;

function fieldsOf({ status, type, headers, bytes, tags }: Entry, marks: readonly string[], seconds: number) {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // An entry has one of the two fields; the empty one overwrites the field of an earlier entry.
  const [text, base64] = isUtf8(body) ? [body.toString(), ''] : ['', body.toString('base64')];
  const about = JSON.stringify({ status, type, headers, tags, marks, seconds, id: randomUUID() });
  return { about, text, base64 };
}

/** Parse an entry in the format of `fieldsOf`. Another version of fwk may have written it. */
function read(
  { fields: { about = '', text = '', base64 = '' }, left }: MemoryEntry,
  now: number,
): { readonly entry: Entry; readonly marks: readonly string[] } | undefined {
  const { status, type, headers, tags, marks, seconds } = JSON.parse(about);
  if (!Number.isInteger(status) || ![headers, tags, marks].every(isTexts) || !Number.isFinite(seconds))
    return undefined;
  if (type !== undefined && typeof type !== 'string') return undefined;
  const bytes = base64 === '' ? Buffer.from(text) : Buffer.from(base64, 'base64');
  markStable(bytes);
  // Uses only the clock of the memory, because the clocks of machines differ.
  const at = now - Math.max(0, seconds - left) * 1_000;
  return { entry: { status, type, headers, bytes, tags, at }, marks };
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The interval between attempts to change marks while the memory is unavailable, in milliseconds. */
const RETRY_MS = 1_000;
/** The maximum number of tags that wait to be changed. If there are more, everything is purged. */
const MAX_WAITING = 1_000;
/** The tag of all responses. */
const ALL = '';

/**
 * Random texts by tag, in a shared memory. A response stores the marks of its tags from before it
 * was computed. A purge changes the marks, so that the response is no longer found. A lost mark is
 * replaced by a new one, so responses whose marks the memory evicts are purged, too.
 */
class TagMarks {
  readonly #memory: SharedMemory;
  /** How long a mark is stored, in seconds: longer than any response that has it. */
  readonly #maxAge: number;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `lifetime`: the lifetime of the longest-lived response, in seconds. */
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
    const stored = await Promise.all(all.map((tag) => this.#memory.get(markName(tag))));
    return stored.every((one, index) => one?.fields.mark === marks[index]);
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
    const changes = [...this.#waiting].map(async (tag) => {
      await this.#memory.put(markName(tag), { mark: randomUUID() }, this.#maxAge);
      this.#waiting.delete(tag);
    });
    await Promise.allSettled(changes);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => void this.#tell(), RETRY_MS).unref();
  }

  #isChanging(tag: string): boolean {
    return this.#waiting.size > 0 && (this.#waiting.has(tag) || this.#waiting.has(ALL));
  }

  async #markOf(tag: string): Promise<string> {
    const name = markName(tag);
    const stored = await this.#memory.get(name);
    if (stored?.fields.mark !== undefined) {
      if (stored.left < this.#maxAge / 2) await this.#memory.put(name, {}, this.#maxAge, 'existing');
      return stored.fields.mark;
    }
    const mark = randomUUID();
    if (await this.#memory.put(name, { mark }, this.#maxAge, 'new')) return mark;
    return this.#markOf(tag);
  }
}

const markName = (tag: string): string => `tag ${tag}`;
