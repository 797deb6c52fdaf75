import { setTimeout as pause } from 'node:timers/promises';
import { type Held, type Lock, LockTaken, Unavailable } from '../contract.js';
import { LocalLocks, waitOf } from '../local/local-locks.js';
import { crypto } from '../local/secret.js';

/** How long to wait before a lock that is taken is asked for again, in milliseconds: at first, and at most. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [20, 250];
const PAUSE_GROWTH = 1.5;

/** Where locks are kept for all machines. Each method is one step there; it rejects with `Unavailable`. */
export interface LeaseStore {
  /** The token for `holder`, who has the lock for `lease` milliseconds; undefined where another has it. */
  acquire(name: string, holder: string, lease: number): Promise<number | undefined>;
  /** Keep it for `lease` milliseconds from now; false where `holder` has it no more. */
  renew(name: string, holder: string, lease: number): Promise<boolean>;
  /** Let another have it; nothing where `holder` has it no more. */
  release(name: string, holder: string): Promise<unknown>;
}

/**
 * Locks that end by themselves when their holder does. One of this process at a time asks the store. A holder counts its lease from
 * before it asked, by a clock that nobody sets: it never believes longer than the store does that it has the lock.
 */
export class LeasedLocks {
  readonly #store: LeaseStore;
  /** Milliseconds; asked for each lock. */
  readonly #lease: () => number;
  readonly #local = new LocalLocks();

  constructor(store: LeaseStore, lease: () => number) {
    this.#store = store;
    this.#lease = lease;
  }

  readonly lock: Lock = async (name, work, options) => {
    const wait = waitOf(name, options);
    const until = performance.now() + wait;
    const { granted, end } = this.#local.claim(name, wait);
    try {
      if ((await granted) === undefined) throw taken(name);
      const holder = crypto().randomUUID();
      const held = await this.#acquire(name, holder, until);
      try {
        return await work(held);
      } finally {
        held.end();
        // Should it not be reached, the lock ends with its lease.
        await this.#store.release(name, holder).catch(() => {});
      }
    } finally {
      end();
    }
  };

  async #acquire(name: string, holder: string, until: number): Promise<Held & { end(): void }> {
    const lease = this.#lease();
    for (let step = FIRST_PAUSE_MS; ; step = Math.min(step * PAUSE_GROWTH, MAX_PAUSE_MS)) {
      const asked = performance.now();
      const token = await this.#store.acquire(name, holder, lease).catch((thrown: unknown) => {
        // It may have been given all the same.
        this.#store.release(name, holder).catch(() => {});
        throw thrown;
      });
      if (token !== undefined) return { token, ...this.#keep(name, holder, asked + lease, lease) };
      const left = until - performance.now();
      if (left <= 0) throw taken(name);
      // Those that wait do not come back all at once.
      await pause(Math.min(step * (0.5 + Math.random()), left));
    }
  }

  /** Renew it each third of its lease, until `end`. `expires`: by `performance.now()`. */
  #keep(name: string, holder: string, expires: number, lease: number): Omit<Held, 'token'> & { end(): void } {
    const lost = new AbortController();
    const lose = (): void => lost.abort(new Unavailable(`the lock "${name}" may be another's by now`));
    let hasEnded = false;
    let timer = setTimeout(lose, expires - performance.now());
    const renewing = setInterval(async () => {
      const asked = performance.now();
      // Until it expires, there is time to ask again.
      const isRenewed = await this.#store.renew(name, holder, lease).catch(() => undefined);
      if (isRenewed === undefined || lost.signal.aborted || hasEnded) return;
      if (!isRenewed) return lose();
      clearTimeout(timer);
      timer = setTimeout(lose, asked + lease - performance.now());
    }, lease / 3);
    const end = (): void => {
      hasEnded = true;
      clearInterval(renewing);
      clearTimeout(timer);
    };
    return { signal: lost.signal, end };
  }
}

const taken = (name: string): LockTaken => new LockTaken(`The lock "${name}" was not to be had in time`);
