import type { Fields, Kept, SharedMemory } from '../../kernel/index.js';
import { checkFields, checkKey, checkNumbers } from './memory-arguments.js';

/** How long what is over may stay before it is swept out, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;
/** Of one entry beside its texts, in bytes; measured. */
const OVERHEAD_BYTES = 300;

export interface MemoryLimits {
  /** How many keys there may be. */
  readonly keys: number;
  /** How many bytes they and their texts may take together. */
  readonly bytes: number;
}

const LIMITS: MemoryLimits = { keys: 100_000, bytes: 64 * 1024 * 1024 };

interface Entry {
  readonly fields: Fields;
  readonly bytes: number;
  /** By the clock of `performance.now()`: nobody sets that. */
  readonly until: number;
}

/**
 * A memory in one process: in the only one, or in that which has started the workers. When it is full, what was used longest
 * ago makes room. What is over is swept out by later writes, so that no timer keeps the process alive.
 */
export class LocalMemory implements SharedMemory {
  readonly #limits: MemoryLimits;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #sweepAt = 0;

  constructor(limits: Partial<MemoryLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** How many keys there are, those that are over and not swept out yet included. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Kept | undefined {
    const entry = this.#use(key);
    return entry && { fields: entry.fields, left: (entry.until - performance.now()) / 1000 };
  }

  put(key: string, fields: Fields, maxAge: number, only?: 'new' | 'existing'): boolean {
    checkNumbers({ maxAge });
    const entry = this.#use(key);
    if (only !== undefined && (only === 'existing') !== (entry !== undefined)) return false;
    this.#store(key, { ...entry?.fields, ...fields }, performance.now() + maxAge * 1000);
    return true;
  }

  take(key: string): Fields | undefined {
    const entry = this.#use(key);
    this.#delete(key);
    return entry?.fields;
  }

  add(key: string, amount: number, maxAge: number): number {
    checkNumbers({ amount, maxAge });
    const entry = this.#use(key);
    const sum = Number(entry?.fields.sum ?? 0) + amount;
    this.#store(key, { sum: String(sum) }, entry?.until ?? performance.now() + maxAge * 1000);
    return sum;
  }

  /** What is kept under a key, which is now the one that was used last. */
  #use(key: string): Entry | undefined {
    checkKey(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= performance.now()) {
      this.#delete(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #store(key: string, fields: Fields, until: number): void {
    const entry = { fields, bytes: bytesOf(key, fields), until };
    const now = performance.now();
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#delete(key);
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      const isFull = this.#entries.size > this.#limits.keys || this.#bytes > this.#limits.bytes;
      if (!isFull || oldest === key) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL_MS;
    for (const [key, { until }] of this.#entries) if (until <= now) this.#delete(key);
  }
}

/** At two bytes a character, as V8 keeps all texts that are not Latin alone. */
function bytesOf(key: string, fields: Fields): number {
  checkFields(fields);
  let characters = key.length;
  for (const name in fields) characters += name.length + (fields[name]?.length ?? 0);
  return OVERHEAD_BYTES + 2 * characters;
}
