import { inspect } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Clock, coded, systemClock } from '../../kernel/index.js';
import type { Fields, Kept, MemoryOptions, SharedMemory } from '../contract.js';

/** How often expired entries are removed, in milliseconds. */
export const SWEEP_INTERVAL_MS = 60_000;
/** Of one entry beside its texts, in bytes; measured. */
const OVERHEAD_BYTES = 300;

const MAX_KEYS = 100_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Entry {
  readonly fields: Fields;
  readonly bytes: number;
  /** By the clock's `now()`: nobody sets that. */
  readonly until: number;
  uses: number;
}

/** Entries in the order of their last use. The memory itself bounds them. */
const entriesByUse = () => new LRUCache<string, Entry>({ maxSize: Number.MAX_SAFE_INTEGER });

/**
 * A memory in one process: in the only one, or in the process that starts the workers. When it is full, the entries that were used
 * longest ago make room, and entries that were used often after all others. Later writes sweep out what is over, so that no timer keeps
 * the process alive.
 */
export class LocalMemory implements SharedMemory {
  readonly #maxKeys: number;
  readonly #maxBytes: number;
  readonly #often: number;
  readonly #rare = entriesByUse();
  readonly #frequent = entriesByUse();
  #sweepAt = 0;
  readonly #clock: Clock;

  constructor(
    { maxKeys = MAX_KEYS, maxBytes = MAX_BYTES, often = Infinity }: MemoryOptions = {},
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#maxBytes = maxBytes;
    this.#often = often;
  }

  /** How many keys there are, those that are over and not swept out yet included. */
  get size(): number {
    return this.#rare.size + this.#frequent.size;
  }

  get bytes(): number {
    return this.#rare.calculatedSize + this.#frequent.calculatedSize;
  }

  get(key: string): Kept | undefined {
    const entry = this.#use(key);
    return entry && { fields: entry.fields, left: (entry.until - this.#clock.now()) / 1000 };
  }

  put(key: string, fields: Fields, maxAge: number, only?: 'new' | 'existing'): boolean {
    checkNumbers({ maxAge });
    const entry = this.#use(key);
    if (only !== undefined && (only === 'existing') !== (entry !== undefined)) return false;
    this.#store(key, { ...entry?.fields, ...fields }, this.#clock.now() + maxAge * 1000, entry);
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
    this.#store(key, { sum: String(sum) }, entry?.until ?? this.#clock.now() + maxAge * 1000, entry);
    return sum;
  }

  sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL_MS;
    for (const entries of [this.#rare, this.#frequent])
      for (const [key, { until }] of [...entries.entries()]) if (until <= now) entries.delete(key);
  }

  shrink(bytes: number): void {
    while (this.bytes > bytes) this.#dropOldest();
  }

  /** The entry of a key, which is now the one that was used last. */
  #use(key: string): Entry | undefined {
    checkKey(key);
    const entry = this.#rare.get(key) ?? this.#frequent.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= this.#clock.now()) {
      this.#delete(key);
      return undefined;
    }
    entry.uses += 1;
    if (entry.uses === this.#often) {
      this.#delete(key);
      this.#place(key, entry);
    }
    return entry;
  }

  #store(key: string, fields: Fields, until: number, before: Entry | undefined): void {
    const entry = { fields, bytes: bytesOf(key, fields), until, uses: before?.uses ?? 1 };
    const now = this.#clock.now();
    if (now >= this.#sweepAt) this.sweep(now);
    this.#delete(key);
    // An entry that is larger than the memory has it alone.
    while (this.size > 0 && (this.size >= this.#maxKeys || this.bytes + entry.bytes > this.#maxBytes))
      this.#dropOldest();
    this.#place(key, entry);
  }

  #place(key: string, entry: Entry): void {
    (entry.uses < this.#often ? this.#rare : this.#frequent).set(key, entry, { size: entry.bytes });
  }

  #dropOldest(): void {
    const [frequent] = this.#frequent.rvalues();
    const isOver = frequent !== undefined && frequent.until <= this.#clock.now();
    (isOver || this.#rare.size === 0 ? this.#frequent : this.#rare).pop();
  }

  #delete(key: string): void {
    if (!this.#rare.delete(key)) this.#frequent.delete(key);
  }
}

/** At two bytes a character, as V8 keeps all texts that are not Latin alone. */
function bytesOf(key: string, fields: Fields): number {
  checkFields(fields);
  let characters = key.length;
  for (const name in fields) characters += name.length + (fields[name]?.length ?? 0);
  return OVERHEAD_BYTES + 2 * characters;
}

// What every memory takes, whoever keeps it. All throw TypeError.

function checkKey(key: unknown): void {
  if (typeof key !== 'string') throw wrong('a key', 'a text', key);
}

function checkFields(fields: Fields): void {
  for (const name in fields)
    if (typeof fields[name] !== 'string') throw wrong(`the field "${name}"`, 'a text', fields[name]);
}

/** A number that is none would be kept for ever, or make a sum that nothing can be added to. */
function checkNumbers(numbers: Readonly<Record<string, unknown>>): void {
  for (const name in numbers)
    if (!Number.isFinite(numbers[name])) throw wrong(name, 'a finite number', numbers[name]);
}

/** A bound that is none would not hold. */
export function checkMemoryOptions(options: MemoryOptions = {}): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw wrong(name, 'a number above 0', value);
}

/** The memory of an engine, which is not asked for what no memory takes. */
export const checkedMemory = (memory: SharedMemory): SharedMemory => ({
  get(key) {
    checkKey(key);
    return memory.get(key);
  },
  put(key, fields, maxAge, only) {
    checkKey(key);
    checkFields(fields);
    checkNumbers({ maxAge });
    return memory.put(key, fields, maxAge, only);
  },
  take(key) {
    checkKey(key);
    return memory.take(key);
  },
  add(key, amount, maxAge) {
    checkKey(key);
    checkNumbers({ amount, maxAge });
    return memory.add(key, amount, maxAge);
  },
});

const wrong = (what: string, expected: string, given: unknown): TypeError =>
  coded('FWK803', `In a shared memory ${what} is ${expected}, and ${inspect(given, { depth: 0 })} is none`);
