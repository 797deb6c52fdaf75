import { inspect } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Clock, coded, systemClock } from '../../kernel/index.js';
import type { Fields, MemoryEntry, MemoryOptions, SharedMemory } from '../contract.js';

/** How often expired entries are removed, in milliseconds. */
export const SWEEP_INTERVAL_MS = 60_000;
/** The size of one entry besides its strings, in bytes; measured. */
const OVERHEAD_BYTES = 300;

const MAX_KEYS = 100_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Entry {
  readonly fields: Fields;
  readonly bytes: number;
  /** When the entry expires, by the clock's `now()`, which is monotonic. */
  readonly until: number;
  uses: number;
}

/** Milliseconds between two warnings of one memory. */
const WARNING_INTERVAL_MS = 60_000;

/** Entries in the order of their last use. The memory enforces the limits. */
const entriesByUse = () => new LRUCache<string, Entry>({ maxSize: Number.MAX_SAFE_INTEGER });

/** A memory in one process. A full one evicts the least recently used entries, and writes sweep out expired entries without a timer. */
export class LocalMemory implements SharedMemory {
  readonly #maxKeys: number;
  readonly #maxBytes: number;
  readonly #often: number;
  readonly #rare = entriesByUse();
  readonly #frequent = entriesByUse();
  #sweepAt = 0;
  #warnsAgainAt = 0;
  readonly #name: string;
  readonly #clock: Clock;

  constructor(
    { maxKeys = MAX_KEYS, maxBytes = MAX_BYTES, often = Infinity }: MemoryOptions = {},
    clock: Clock = systemClock,
    name = '',
  ) {
    this.#name = name;
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#maxBytes = maxBytes;
    this.#often = often;
  }

  get size(): number {
    return this.#rare.size + this.#frequent.size;
  }

  get bytes(): number {
    return this.#rare.calculatedSize + this.#frequent.calculatedSize;
  }

  get(key: string): MemoryEntry | undefined {
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

  /** The entry of a key, which becomes the most recently used entry. */
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
    // An entry larger than the limit is stored alone.
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
    const entries = isOver || this.#rare.size === 0 ? this.#frequent : this.#rare;
    entries.pop();
    if (!isOver && entries === this.#frequent) this.#warn();
  }

  #warn(): void {
    const now = this.#clock.now();
    if (now < this.#warnsAgainAt) return;
    this.#warnsAgainAt = now + WARNING_INTERVAL_MS;
    process.emitWarning(
      `The memory "${this.#name}" is full, so entries that are in use are evicted. Store less, or use redis() or postgres().`,
    );
  }

  #delete(key: string): void {
    if (!this.#rare.delete(key)) this.#frequent.delete(key);
  }
}

/** Counts two bytes per character, because V8 stores strings that are not pure Latin-1 in UTF-16. */
function bytesOf(key: string, fields: Fields): number {
  checkFields(fields);
  let characters = key.length;
  for (const name in fields) characters += name.length + (fields[name]?.length ?? 0);
  return OVERHEAD_BYTES + 2 * characters;
}

// Checks for the arguments of every memory, local or in a broker. All throw TypeError.

function checkKey(key: unknown): void {
  if (typeof key !== 'string') throw wrong('a key', 'a string', key);
}

function checkFields(fields: Fields): void {
  for (const name in fields)
    if (typeof fields[name] !== 'string') throw wrong(`the field "${name}"`, 'a string', fields[name]);
}

/** With NaN, an entry would never expire, and a sum would stay NaN. */
function checkNumbers(numbers: Readonly<Record<string, unknown>>): void {
  for (const name in numbers)
    if (!Number.isFinite(numbers[name])) throw wrong(name, 'a finite number', numbers[name]);
}

/** Throws TypeError for a limit that is not a positive number, since it would have no effect. */
export function checkMemoryOptions(options: MemoryOptions = {}): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw wrong(name, 'a number greater than 0', value);
}

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

const wrong = (name: string, expected: string, given: unknown): TypeError =>
  coded('FWK803', `In a shared memory, ${name} must be ${expected}, not ${inspect(given, { depth: 0 })}`);
