/** How long expired entries may stay before they are swept out, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

interface Entry {
  readonly text: string;
  /** By the clock of `performance.now()`: nobody sets that. */
  readonly until: number;
}

/**
 * The memory that the processes of an app share (`SharedMemory` of kernel/peers.ts): with workers it is in the primary, and
 * `Relay` passes calls to it; without, in the one process. When it is full, the one that was used longest ago makes room. Expired ones are swept
 * out by later writes, so no timer keeps the process alive.
 */
export class Memory {
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #sweepAt = 0;

  /** `limit`: how many texts there may be. */
  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= performance.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.text;
  }

  set(key: string, text: string, maxAge: number): void {
    const now = performance.now();
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#entries.delete(key);
    this.#entries.set(key, { text, until: now + maxAge * 1000 });
    if (this.#entries.size <= this.#limit) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL_MS;
    for (const [key, { until }] of this.#entries) if (until <= now) this.#entries.delete(key);
  }
}
