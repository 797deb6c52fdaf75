import type { Peers, SharedMemory } from '../../peers/index.js';
import { type Counters, type Decision, type Limit, type LocalCounters, take } from './counters.js';

/** Maximum size of one counter in the memory of this machine, in bytes: the length of keys is limited. */
const COUNTER_BYTES = 600;

/** Counters for all processes of an app, which are not queried if this process's count refuses. */
export class SharedCounters implements Counters {
  readonly #peers: Peers;
  readonly #own: LocalCounters;
  readonly #maxKeys: number;

  constructor(peers: Peers, own: LocalCounters, maxKeys: number) {
    this.#peers = peers;
    this.#own = own;
    // A client has one counter for this window, and one for the previous one.
    this.#maxKeys = 2 * maxKeys;
  }

  async take(key: string, limit: Limit, now: number): Promise<Decision> {
    const refused = this.#own.refusal(key, limit, now);
    if (refused) return refused;
    const memory = this.#memoryOf(limit);
    const window = Math.floor(now / limit.windowMs);
    const maxAge = Math.ceil((2 * limit.windowMs) / 1000);
    // Counted before the decision, so that no other request can be counted in between.
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

  giveBack(key: string, limit: Limit, at: number): void {
    this.#own.giveBack(key, limit, at);
    const { windowMs } = limit;
    const maxAge = Math.ceil((2 * windowMs) / 1000);
    // If that fails, the request stays counted, and the next request sees the failure.
    Promise.resolve(this.#memoryOf(limit).add(`${key} ${Math.floor(at / windowMs)}`, -1, maxAge)).catch(
      () => {},
    );
  }

  /** One memory for each limit, to evict only its own counters. Counters about to refuse stay longest. */
  #memoryOf({ scope, limit }: Limit): SharedMemory {
    const often = Math.max(2, Math.ceil(limit / 2));
    const maxBytes = this.#maxKeys * COUNTER_BYTES;
    return this.#peers.memory(`rate-limit.${scope}`, { maxKeys: this.#maxKeys, maxBytes, often });
  }
}
