import {
  type Clock,
  type Json,
  type Lock,
  type MachinePeers,
  type MemoryOptions,
  type Peers,
  type PeersEngine,
  type Receive,
  type Roster,
  type SharedMemory,
  systemClock,
} from '../../kernel/index.js';
import { crypto } from './crypto.js';
import { LocalLocks, whileHeld } from './local-locks.js';
import { LocalMemories } from './local-memories.js';
import { LocalRoster } from './local-roster.js';
import { waitOf } from './lock-arguments.js';
import { acrossMachines } from './machines.js';
import { checkHead } from './message.js';
import { derive, givenSecret, randomSecret } from './secret.js';
import { Topics } from './topics.js';

/** The peers of a process that serves alone: there is nobody to send to. */
export class OneProcess implements MachinePeers {
  readonly id: string = crypto().randomUUID();
  readonly machine = this.id;
  readonly count = 1;
  readonly span = 'process';
  readonly #topics = new Topics();
  readonly #memories: LocalMemories;
  readonly #rosters = new Map<string, Roster>();
  readonly #locks = new LocalLocks();
  #secret: string | undefined;

  /** `clock`: how long its memories keep things. */
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
    const roster = this.#rosters.get(name) ?? new LocalRoster();
    this.#rosters.set(name, roster);
    return roster;
  }

  across(engine: PeersEngine): Peers {
    return acrossMachines(this, engine);
  }
}
