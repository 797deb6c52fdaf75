import type { Peers } from '../../kernel/index.js';
import { settledWithin } from '../context/index.js';
import type { Counters, Limit, LocalCounters } from './counters.js';
import { type Counted, type Decision, take } from './sliding-window.js';

/** Milliseconds until the process that holds the counters counts as gone. */
const TIMEOUT_MS = 1_000;

/** Counters that all processes of an app share. What this one knows to be refused by its own count is not asked. */
export class SharedCounters implements Counters {
  readonly #peers: Peers;
  readonly #own: LocalCounters;

  constructor(peers: Peers, own: LocalCounters) {
    this.#peers = peers;
    this.#own = own;
  }

  async take(key: string, limit: Limit, now: number): Promise<Decision> {
    const refused = this.#own.refusal(key, limit, now);
    if (refused) return refused;
    const counting = this.#count(key, limit, now);
    if (!(await settledWithin(counting, TIMEOUT_MS)))
      throw new Error(`no answer within ${TIMEOUT_MS} ms from the process that starts the workers`);
    const decision = await counting;
    if (decision.isAllowed) this.#own.take(key, limit, now);
    return decision;
  }

  /** To be one call of an atomic counter as soon as `Peers` has one. */
  #count(key: string, limit: Limit, now: number): Promise<Decision> {
    // One for each limit: each memory makes room for itself.
    const name = `rate-limit.${limit.scope}`;
    const memory = this.#peers.memory(name);
    return this.#peers.lock(`${name} ${key}`, async () => {
      const counted = read(await memory.get(key));
      const decision = take(counted, limit, now);
      const { window, previous, current } = counted;
      if (decision.isAllowed)
        await memory.set(key, `${window} ${previous} ${current}`, Math.ceil(limit.windowMs / 500));
      return decision;
    });
  }
}

function read(text = ''): Counted {
  const [window = 0, previous = 0, current = 0] = text.split(' ').map(Number);
  return { window, previous, current };
}
