import { inspect } from 'node:util';
import { coded } from '../../kernel/index.js';
import { type LockHandle, type LockOptions, LockTaken } from '../contract.js';

/** The longest delay of a timer. With a longer delay, it would fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
export const timeoutOf = (wait: number): number => Math.min(wait, MAX_TIMEOUT_MS);

export interface Claim {
  /** Resolves with the token of the lock when it is granted, or with undefined after the time to wait. */
  readonly granted: Promise<number | undefined>;
  end(): void;
}

interface Waiter {
  grant(token: number): void;
}

/** The locks of one process, each granted in the order of the claims. A name without claims takes no memory. */
export class LocalLocks {
  readonly #queues = new Map<string, Waiter[]>();
  #token = 0;

  claim(name: string, wait: number): Claim {
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    let timer: NodeJS.Timeout | undefined;
    const waiter: Waiter = { grant: () => {} };
    const end = (): void => {
      clearTimeout(timer);
      const index = queue.indexOf(waiter);
      if (index === -1) return;
      queue.splice(index, 1);
      if (queue.length === 0) this.#queues.delete(name);
      else if (index === 0) queue[0]?.grant(this.#nextToken());
    };
    const granted = new Promise<number | undefined>((resolve) => {
      waiter.grant = (token) => {
        clearTimeout(timer);
        resolve(token);
      };
      if (queue.push(waiter) === 1) return waiter.grant(this.#nextToken());
      timer = setTimeout(() => {
        end();
        resolve(undefined);
      }, timeoutOf(wait));
    });
    return { granted, end };
  }

  #nextToken(): number {
    this.#token += 1;
    return this.#token;
  }
}

/** Run `work` when the lock is granted, then release it. The lock has no lease. Throws LockTaken. */
export async function whileHeld<T>(
  name: string,
  { granted, end }: Claim,
  work: (lock: LockHandle) => Promise<T>,
): Promise<T> {
  const token = await granted;
  if (token === undefined) throw new LockTaken(`The lock "${name}" could not be acquired in time`);
  try {
    // Each holder gets a signal of its own, so that its listeners can be garbage-collected.
    return await work({ token, signal: new AbortController().signal });
  } finally {
    end();
  }
}

const LOCK_WAIT_MS = 10_000;

/** The number of milliseconds to wait for a lock. Throws TypeError for an invalid name or time: with `NaN`, a claim might wait forever. */
export function waitOf(name: unknown, { wait = LOCK_WAIT_MS }: LockOptions = {}): number {
  if (typeof name !== 'string')
    throw wrong(`The name of a lock must be a string, not ${inspect(name, { depth: 0 })}`);
  if (typeof wait !== 'number' || Number.isNaN(wait))
    throw wrong(
      `The option "wait" of the lock "${name}" must be a number of milliseconds, not ${inspect(wait, { depth: 0 })}`,
    );
  return Math.max(wait, 0);
}

const wrong = (message: string): TypeError => coded('FWK803', message);
