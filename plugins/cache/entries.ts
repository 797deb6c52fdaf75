/** A response as it is sent again. */
export interface Entry {
  readonly status: number;
  readonly type: string | undefined;
  /** Names and values in turn, beside the media type. */
  readonly headers: readonly string[];
  readonly bytes: Uint8Array;
  readonly tags: readonly string[];
  /** When it was computed, by the clock's `now()`. */
  readonly at: number;
}

/** In bytes: what an entry takes beside its texts and its body. */
const OVERHEAD_BYTES = 512;

const sizeOf = (key: string, { headers, bytes }: Entry): number =>
  headers.reduce((sum, text) => sum + 2 * text.length, OVERHEAD_BYTES + 2 * key.length + bytes.byteLength);

/** Responses, up to so many bytes of all: those that were used longest ago make room. */
export class Entries {
  readonly #maxSize: number;
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(key: string, entry: Entry): void {
    this.delete(key);
    this.#entries.set(key, entry);
    this.#size += sizeOf(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= sizeOf(key, entry);
  }

  drop(tags: readonly string[]): void {
    for (const [key, entry] of this.#entries)
      if (entry.tags.some((tag) => tags.includes(tag))) this.delete(key);
  }
}
