import { type Counted, type Decision, look, type Quota, take } from './sliding-window.js';

/** Counts requests by key. A key belongs to one quota. */
export interface Counters {
  /** Count a request of `key` at `now` (milliseconds), if it is allowed. Rejects where that cannot be known. */
  take(key: string, quota: Quota, now: number): Decision | Promise<Decision>;
}

/**
 * Counters in the memory of this process. When there are too many, one makes room that was used longest ago, of those that have
 * used less than half of their quota: by asking under many names, somebody gets rid of counters that hardly count, but not of one
 * that is about to refuse, unless each name has used half of its quota too.
 */
export class LocalCounters implements Counters {
  readonly #maxKeys: number;
  /** Each in the order of their last use. */
  readonly #light = new Map<string, Entry>();
  readonly #heavy = new Map<string, Entry>();

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  take(key: string, quota: Quota, now: number): Decision {
    const known = this.#light.get(key) ?? this.#heavy.get(key);
    const entry = known ?? { window: 0, previous: 0, current: 0, until: 0 };
    const decision = take(entry, quota, now);
    if (known) this.#delete(key);
    else if (this.#light.size + this.#heavy.size >= this.#maxKeys) this.#makeRoom(now);
    entry.until = (entry.window + 2) * quota.windowMs;
    const isHeavy = (entry.previous + entry.current) * 2 >= quota.limit;
    (isHeavy ? this.#heavy : this.#light).set(key, entry);
    return decision;
  }

  /** Why a request of `key` would be refused; undefined where it would not. Nothing is counted. */
  refusal(key: string, quota: Quota, now: number): Decision | undefined {
    const entry = this.#heavy.get(key);
    const decision = entry && look(entry, quota, now);
    return decision?.isAllowed === false ? decision : undefined;
  }

  #delete(key: string): void {
    if (!this.#light.delete(key)) this.#heavy.delete(key);
  }

  #makeRoom(now: number): void {
    const [heavy] = this.#heavy;
    const [light] = this.#light;
    if (heavy && (light === undefined || heavy[1].until <= now)) this.#heavy.delete(heavy[0]);
    else if (light) this.#light.delete(light[0]);
  }
}

interface Entry extends Counted {
  /** When nothing of it counts any more. */
  until: number;
}
