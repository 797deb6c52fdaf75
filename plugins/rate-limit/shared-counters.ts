import type { Peers } from '../../kernel/index.js';
import type { Counters, Limit, LocalCounters } from './counters.js';
import { type Decision, take } from './sliding-window.js';

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
    // One for each limit: each memory makes room for itself.
    const memory = this.#peers.memory(`rate-limit.${limit.scope}`);
    const window = Math.floor(now / limit.windowMs);
    const maxAge = Math.ceil((2 * limit.windowMs) / 1000);
    // Counted before it is known whether it is allowed: so no other comes between.
    const [sum, before] = await Promise.all([
      memory.add(`${key} ${window}`, 1, maxAge),
      memory.get(`${key} ${window - 1}`),
    ]);
    const previous = Number(before?.fields.sum ?? 0);
    const decision = take({ window, previous, current: sum - 1 }, limit, now);
    if (decision.isAllowed) this.#own.take(key, limit, now);
    else await memory.add(`${key} ${window}`, -1, maxAge);
    return decision;
  }
}
