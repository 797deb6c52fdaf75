import { LRUCache } from 'lru-cache';

export interface Limit extends Quota {
  readonly scope: string;
}

export interface Counters {
  /** Count an allowed request of `key` at `now` (milliseconds). Rejects if the counters are unavailable. */
  take(key: string, limit: Limit, now: number): Decision | Promise<Decision>;
  /** Remove a request that `take` allowed at `at` from the count. Never throws. */
  giveBack(key: string, limit: Limit, at: number): void;
}

/**
 * Counters in the memory of this process. If there are too many, the limit with the most counters
 * evicts one. A client that floods one limit therefore only evicts counters of that limit, and a
 * limit with no more than its equal share loses none.
 */
export class LocalCounters implements Counters {
  readonly #limits = new Map<string, LimitCounters>();
  #size = 0;

  constructor(private readonly maxKeys: number) {}

  take(key: string, limit: Limit, now: number): Decision {
    const own = this.#limits.get(limit.scope) ?? new LimitCounters();
    if (!own.has(key)) {
      if (this.#size >= this.maxKeys) this.#makeRoom(now);
      else this.#size += 1;
      this.#limits.set(limit.scope, own);
    }
    return own.take(key, limit, now);
  }

  giveBack(key: string, limit: Limit, at: number): void {
    this.#limits.get(limit.scope)?.giveBack(key, limit, at);
  }

  /** The decision that would refuse a request of `key`; undefined if it is allowed. Counts nothing. */
  refusal(key: string, limit: Limit, now: number): Decision | undefined {
    return this.#limits.get(limit.scope)?.refusal(key, limit, now);
  }

  #makeRoom(now: number): void {
    let largest: LimitCounters | undefined;
    for (const [scope, own] of this.#limits) {
      // A limit that existed only in an earlier version.
      if (own.size === 0) this.#limits.delete(scope);
      else if (!largest || own.size > largest.size) largest = own;
    }
    largest?.makeRoom(now);
  }
}

/**
 * The counters of one limit. It evicts the least recently used counter among those that have used
 * less than half of their quota. A client that sends requests under many names can therefore evict
 * counters with few requests, but not one that is about to refuse, unless each name has used half
 * of its quota too.
 */
class LimitCounters {
  readonly #light = countersByUse();
  readonly #heavy = countersByUse();

  get size(): number {
    return this.#light.size + this.#heavy.size;
  }

  has(key: string): boolean {
    return this.#light.has(key) || this.#heavy.has(key);
  }

  take(key: string, quota: Quota, now: number): Decision {
    const entry = this.#entryOf(key) ?? { window: 0, previous: 0, current: 0, until: 0 };
    const decision = take(entry, quota, now);
    entry.until = (entry.window + 2) * quota.windowMs;
    this.#place(key, entry, quota);
    return decision;
  }

  giveBack(key: string, quota: Quota, at: number): void {
    const entry = this.#entryOf(key);
    if (!entry) return;
    giveBack(entry, quota, at);
    this.#place(key, entry, quota);
  }

  refusal(key: string, quota: Quota, now: number): Decision | undefined {
    const entry = this.#heavy.peek(key);
    const decision = entry && look(entry, quota, now);
    return decision?.isAllowed === false ? decision : undefined;
  }

  makeRoom(now: number): void {
    const [heavy] = this.#heavy.rvalues();
    const isOver = heavy !== undefined && heavy.until <= now;
    (isOver || this.#light.size === 0 ? this.#heavy : this.#light).pop();
  }

  /** The counter of a key, which becomes the most recently used one. */
  #entryOf(key: string): Entry | undefined {
    return this.#light.get(key) ?? this.#heavy.get(key);
  }

  #place(key: string, entry: Entry, { limit }: Quota): void {
    const isHeavy = (entry.previous + entry.current) * 2 >= limit;
    const [to, from] = isHeavy ? [this.#heavy, this.#light] : [this.#light, this.#heavy];
    if (to.has(key)) return;
    from.delete(key);
    to.set(key, entry);
  }
}

/** Counters in the order of their last use. `LocalCounters` bounds them. */
const countersByUse = () =>
  new LRUCache<string, Entry>({ maxSize: Number.MAX_SAFE_INTEGER, sizeCalculation: () => 1 });

interface Entry extends Counted {
  /** The time after which the entry no longer has an effect. */
  until: number;
}

/** A quota: `limit` requests per window. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Requests in a window and in the previous one. Windows are numbered from the start of the clock. */
interface Counted {
  window: number;
  previous: number;
  current: number;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** How many further requests would be allowed now. */
  readonly remaining: number;
  /** Milliseconds until the window of an allowed request ends, or until a refused one is allowed. */
  readonly waitMs: number;
}

/**
 * Count a request if it is allowed. The requests of the previous window count in proportion to the
 * part of that window within the last `windowMs` milliseconds, rounded down. This is a sliding
 * window with two counters, which treats the earlier requests as evenly spread. Refused requests do
 * not count.
 */
export function take(counted: Counted, quota: Quota, now: number): Decision {
  const decision = look(counted, quota, now);
  if (!decision.isAllowed) return decision;
  counted.current += 1;
  return { ...decision, remaining: decision.remaining - 1 };
}

/** Subtract a request that was counted at `at`, if it still counts. */
function giveBack(counted: Counted, { windowMs }: Quota, at: number): void {
  const age = counted.window - Math.floor(at / windowMs);
  if (age === 0) counted.current = Math.max(0, counted.current - 1);
  else if (age === 1) counted.previous = Math.max(0, counted.previous - 1);
}

/** The decision for a request at `now`. Nothing is counted. */
function look(counted: Counted, { limit, windowMs }: Quota, now: number): Decision {
  advance(counted, Math.floor(now / windowMs));
  const elapsed = Math.min(Math.max(now / windowMs - counted.window, 0), 1);
  const { previous, current } = counted;
  const left = limit - current - Math.floor(previous * (1 - elapsed));
  const endMs = (1 - elapsed) * windowMs;
  if (left > 0) return { isAllowed: true, remaining: left, waitMs: endMs };
  // As soon as enough of the previous window has expired, or at the beginning of the next one.
  const waitMs = current < limit ? Math.max(1 - (limit - current) / previous - elapsed, 0) * windowMs : endMs;
  return { isAllowed: false, remaining: 0, waitMs };
}

function advance(counted: Counted, window: number): void {
  if (window <= counted.window) return;
  counted.previous = window === counted.window + 1 ? counted.current : 0;
  counted.current = 0;
  counted.window = window;
}
