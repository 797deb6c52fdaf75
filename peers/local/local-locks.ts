import { inspect } from 'node:util';
import { coded } from '../../kernel/index.js';
import { type Held, type LockOptions, LockTaken } from '../contract.js';

/** The longest time that a timer takes: it would be over at once for more. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
export const timeoutOf = (wait: number): number => Math.min(wait, MAX_TIMEOUT_MS);

export interface Claim {
  /** Resolves with the token of the lock when it is held; with undefined when the time to wait for it is over. */
  readonly granted: Promise<number | undefined>;
  /** Give the lock back, or leave the queue. */
  end(): void;
}

interface Waiter {
  grant(token: number): void;
}

/** The locks of one process, each given to who asks for it in their order. A name that nobody asks for takes no memory. */
export class LocalLocks {
  /** By name: the holder, then those that wait. */
  readonly #queues = new Map<string, Waiter[]>();
  #token = 0;

  /** Ask for a lock, and wait for it `wait` milliseconds. */
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

/** Run `work` when a lock is held that ends with this process only, and give it back then. Throws LockTaken. */
export async function whileHeld<T>(
  name: string,
  { granted, end }: Claim,
  work: (held: Held) => Promise<T>,
): Promise<T> {
  const token = await granted;
  if (token === undefined) throw new LockTaken(`The lock "${name}" was not to be had in time`);
  try {
    // One for each: what listens for it goes with it.
    return await work({ token, signal: new AbortController().signal });
  } finally {
    end();
  }
}

/** The default time to wait for a lock, in milliseconds. */
const LOCK_WAIT_MS = 10_000;

/**
 * For how many milliseconds a lock is waited for. Throws TypeError for a name or a time that is none: with `NaN` one would wait for ever,
 * or not at all.
 */
export function waitOf(name: unknown, { wait = LOCK_WAIT_MS }: LockOptions = {}): number {
  if (typeof name !== 'string')
    throw wrong(`The name of a lock is a text, and ${inspect(name, { depth: 0 })} is none`);
  if (typeof wait !== 'number' || Number.isNaN(wait))
    throw wrong(
      `The lock "${name}" takes { wait }, a number of milliseconds, and ${inspect(wait, { depth: 0 })} is none`,
    );
  return Math.max(wait, 0);
}

const wrong = (message: string): TypeError => coded('FWK803', message);
