/**
 * Where sessions are between requests. Each method may be asynchronous; what it throws is answered with 500. Ids are
 * random, texts are opaque.
 */
export interface SessionStore {
  /** The text that is kept under `id`, if there is one. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined;
  /** Keep `text` under `id`, in place of an earlier one. It may be dropped after `maxAge` seconds. */
  set(id: string, text: string, maxAge: number): unknown;
  /** Drop what is kept under `id`, if anything is. */
  delete(id: string): unknown;
  /** Let go of connections: the process stops. */
  close?(): unknown;
}

/** How long expired entries may stay before they are swept out, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

interface Entry {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * The default store: this process's memory. When it is full, the session that was used longest ago makes room. Expired
 * ones are swept out by later writes, so no timer keeps the process alive.
 */
export class MemoryStore implements SessionStore {
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #sweepAt = 0;

  /** `limit`: how many sessions there may be. */
  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): string | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(id, entry);
    return entry.text;
  }

  set(id: string, text: string, maxAge: number): void {
    const now = Date.now();
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#entries.delete(id);
    this.#entries.set(id, { text, until: now + maxAge * 1000 });
    if (this.#entries.size <= this.#limit) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL_MS;
    for (const [id, { until }] of this.#entries) if (until <= now) this.#entries.delete(id);
  }
}
