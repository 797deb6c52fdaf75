import { setTimeout as pause } from 'node:timers/promises';
import { type Lock, type LockHandle, LockTaken, Unavailable } from '../contract.js';
import { LocalLocks, waitOf } from '../local/local-locks.js';
import { crypto } from '../local/secret.js';

/** The first and the longest pause before another attempt to acquire a taken lock, in milliseconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [20, 250];
const PAUSE_GROWTH = 1.5;

/** Stores the locks of all machines. Each method is atomic and may reject with `Unavailable`. */
export interface LeaseStore {
  /** Returns a token if `holder` now has the lock for `lease` milliseconds; undefined if another holder has it. */
  acquire(name: string, holder: string, lease: number): Promise<number | undefined>;
  /** Extend the lock to `lease` milliseconds from now. Returns false if `holder` no longer has it. */
  renew(name: string, holder: string, lease: number): Promise<boolean>;
  /** Release the lock. Does nothing if `holder` no longer has it. */
  release(name: string, holder: string): Promise<unknown>;
}

/** Locks that expire if their holder ends. A holder counts its lease from before the request, so that it never ends after the store's. */
export class LeasedLocks {
  readonly #local = new LocalLocks();

  constructor(
    private readonly store: LeaseStore,
    /** The lease in milliseconds, read for each lock. */
    private readonly lease: () => number,
  ) {}

  readonly lock: Lock = async (name, work, options) => {
    const wait = waitOf(name, options);
    const until = performance.now() + wait;
    const { granted, end } = this.#local.claim(name, wait);
    try {
      if ((await granted) === undefined) throw taken(name);
      const holder = crypto().randomUUID();
      const lock = await this.#acquire(name, holder, until);
      try {
        return await work(lock);
      } finally {
        lock.end();
        // If the store is unavailable, the lock ends with its lease.
        await this.store.release(name, holder).catch(() => {});
      }
    } finally {
      end();
    }
  };

  async #acquire(name: string, holder: string, until: number): Promise<LockHandle & { end(): void }> {
    const lease = this.lease();
    for (let step = FIRST_PAUSE_MS; ; step = Math.min(step * PAUSE_GROWTH, MAX_PAUSE_MS)) {
      const requestedAt = performance.now();
      const token = await this.store.acquire(name, holder, lease).catch((thrown: unknown) => {
        // The store may have granted the lock although the request failed.
        this.store.release(name, holder).catch(() => {});
        throw thrown;
      });
      if (token !== undefined) return { token, ...this.#keep(name, holder, requestedAt + lease, lease) };
      const left = until - performance.now();
      if (left <= 0) throw taken(name);
      // The random factor spreads the attempts of waiting processes.
      await pause(Math.min(step * (0.5 + Math.random()), left));
    }
  }

  /** Renew the lock every third of its lease, until `end`. `expires` is a time of `performance.now()`. */
  #keep(
    name: string,
    holder: string,
    expires: number,
    lease: number,
  ): Omit<LockHandle, 'token'> & { end(): void } {
    const lost = new AbortController();
    const lose = (): void =>
      lost.abort(new Unavailable(`another process may hold the lock "${name}" by now`));
    let hasEnded = false;
    let timer = setTimeout(lose, expires - performance.now());
    const renewing = setInterval(async () => {
      const requestedAt = performance.now();
      // After a failed request, the next interval tries again until the lease ends.
      const isRenewed = await this.store.renew(name, holder, lease).catch(() => undefined);
      if (isRenewed === undefined || lost.signal.aborted || hasEnded) return;
      if (!isRenewed) return lose();
      clearTimeout(timer);
      timer = setTimeout(lose, requestedAt + lease - performance.now());
    }, lease / 3);
    const end = (): void => {
      hasEnded = true;
      clearInterval(renewing);
      clearTimeout(timer);
    };
    return { signal: lost.signal, end };
  }
}

const taken = (name: string): LockTaken => new LockTaken(`The lock "${name}" could not be acquired in time`);
