import { type Clock, systemClock } from '../../kernel/index.js';
import type { Json, Lock, MemoryOptions, Peers, Receive, Roster, SharedMemory } from '../contract.js';
import { LocalLocks, waitOf, whileHeld } from './local-locks.js';
import { LocalMemories } from './local-memories.js';
import { crypto, derive, givenSecret, randomSecret } from './secret.js';
import { checkHead, Topics } from './topics.js';

/** The peers of a process that serves alone. Its messages have no receivers. */
export class OneProcess implements Peers {
  readonly id: string = crypto().randomUUID();
  readonly machine = this.id;
  readonly count = 1;
  readonly span = 'process';
  readonly #topics = new Topics();
  readonly #memories: LocalMemories;
  readonly #rosters = new Map<string, ReadonlyMap<string, number>>();
  readonly #locks = new LocalLocks();
  #secret: string | undefined;

  constructor(clock: Clock = systemClock) {
    this.#memories = new LocalMemories(undefined, clock);
  }

  secret(purpose: string): string {
    this.#secret ??= givenSecret() ?? randomSecret();
    return derive(this.#secret, purpose);
  }

  send(_topic: string, head: unknown): void {
    checkHead(head);
  }

  on<Head = Json>(topic: string, receive: Receive<Head>): () => void {
    return this.#topics.on(topic, receive);
  }

  memory(name: string, options?: MemoryOptions): SharedMemory {
    return this.#memories.of(name, options);
  }

  readonly lock: Lock = async (name, work, options) =>
    whileHeld(name, this.#locks.claim(name, waitOf(name, options)), work);

  roster(name: string): Roster {
    const rosters = this.#rosters;
    return {
      set: (shares) => void rosters.set(name, new Map(shares)),
      sum: (key) => rosters.get(name)?.get(key) ?? 0,
    };
  }
}
