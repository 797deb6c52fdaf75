import { type Clock, systemClock } from '../../kernel/index.js';
import type { MemoryOptions } from '../contract.js';
import { checkMemoryOptions, LocalMemory, SWEEP_INTERVAL_MS } from './local-memory.js';

/** The maximum size in bytes of all memories without a limit of their own. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The part of the limit that an eviction leaves, so that not every write has to find the largest memories. */
const SPARED = 7 / 8;
/** The size of one memory besides its entries and its name, in bytes. */
const OVERHEAD_BYTES = 1_000;

/** Represents every memory that has no entries. */
const NOTHING = new LocalMemory();

/** The memories of one process by name. When they exceed their common limit, entries are evicted from memories above an equal share. */
export class LocalMemories {
  readonly #memories = new Map<string, LocalMemory>();
  readonly #shared = new Set<string>();
  #bytes = 0;
  #sweepAt = 0;

  constructor(
    private readonly maxBytes = MAX_BYTES,
    private readonly clock: Clock = systemClock,
  ) {}

  get size(): number {
    return this.#memories.size;
  }

  /** The memory of a name. `options` apply if this call creates it. */
  of(name: string, options?: MemoryOptions): Pick<LocalMemory, 'get' | 'put' | 'take' | 'add'> {
    checkMemoryOptions(options);
    const known = () => this.#memories.get(name) ?? NOTHING;
    return {
      get: (key) => known().get(key),
      put: (key, fields, maxAge, only) =>
        only === 'existing' && !this.#memories.has(name)
          ? NOTHING.put(key, fields, maxAge, only)
          : this.#change(name, options, (memory) => memory.put(key, fields, maxAge, only)),
      take: (key) =>
        this.#memories.has(name)
          ? this.#change(name, options, (memory) => memory.take(key))
          : NOTHING.take(key),
      add: (key, amount, maxAge) => this.#change(name, options, (memory) => memory.add(key, amount, maxAge)),
    };
  }

  #change<T>(name: string, options: MemoryOptions | undefined, act: (memory: LocalMemory) => T): T {
    const memory = this.#memories.get(name) ?? this.#begin(name, options);
    const before = memory.bytes;
    try {
      return act(memory);
    } finally {
      if (this.#shared.has(name)) this.#bytes += memory.bytes - before;
      if (memory.size === 0) this.#end(name);
      const now = this.clock.now();
      if (now >= this.#sweepAt) this.#sweep(now);
      if (this.#bytes > this.maxBytes) this.#evict();
    }
  }

  #begin(name: string, options: MemoryOptions | undefined): LocalMemory {
    const memory = new LocalMemory(options, this.clock, name);
    this.#memories.set(name, memory);
    if (options?.maxBytes === undefined) {
      this.#shared.add(name);
      this.#bytes += bytesOf(name);
    }
    return memory;
  }

  #end(name: string): void {
    this.#memories.delete(name);
    if (this.#shared.delete(name)) this.#bytes -= bytesOf(name);
  }

  #reduce(name: string, memory: LocalMemory, act: () => void): void {
    const before = memory.bytes;
    act();
    if (this.#shared.has(name)) this.#bytes += memory.bytes - before;
    if (memory.size === 0) this.#end(name);
  }

  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_INTERVAL_MS;
    for (const [name, memory] of this.#memories) this.#reduce(name, memory, () => memory.sweep(now));
  }

  #evict(): void {
    const target = this.maxBytes * SPARED;
    const share = target / this.#shared.size;
    const largest = [...this.#shared].map((name) => [name, this.#memories.get(name) ?? NOTHING] as const);
    largest.sort(([, one], [, other]) => other.bytes - one.bytes);
    for (const [name, memory] of largest) {
      if (this.#bytes <= target) return;
      const surplus = this.#bytes - target;
      const left = Math.max(share - bytesOf(name), memory.bytes - surplus, 0);
      this.#reduce(name, memory, () => memory.shrink(left));
    }
  }
}

const bytesOf = (name: string): number => OVERHEAD_BYTES + 2 * name.length;
