import { type Clock, systemClock } from '../../kernel/index.js';
import type {
  Json,
  Lock,
  MachinePeers,
  MemoryOptions,
  Peers,
  PeersEngine,
  Receive,
  Roster,
  SharedMemory,
} from '../contract/index.js';
import { LocalLocks, waitOf, whileHeld } from './local-locks.js';
import { LocalMemories } from './local-memories.js';
import { checkedMemory, checkMemoryOptions } from './local-memory.js';
import { crypto, derive, givenSecret, noCommonSecret, randomSecret } from './secret.js';
import { checkHead, Topics } from './topics.js';

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

/** Modes in which machines need no secret of their own. */
const LENIENT_MODES = ['development', 'test'];

/**
 * The peers of all machines: messages go to the processes of this machine directly, and to others by the engine, which keeps memory,
 * locks and rosters for all. That nothing comes twice follows from one rule: what carries the id of the own machine is ignored.
 */
export function acrossMachines(own: MachinePeers, engine: PeersEngine): Peers {
  const topics = new Topics();
  engine.listen((topic, head, body) => topics.deliver(topic, head, body));
  return {
    id: own.id,
    machine: own.machine,
    count: own.count,
    span: 'machines',
    secret(purpose) {
      const given = givenSecret();
      if (given !== undefined) return derive(given, purpose);
      if (LENIENT_MODES.includes(process.env.NODE_ENV ?? '')) return derive('development', purpose);
      throw noCommonSecret(engine.name, purpose);
    },
    send(topic, head, body = '') {
      own.send(topic, head, body);
      // What it must not be has been refused.
      engine.send(topic, head as Json, body);
    },
    on(topic, receive) {
      const ends = [own.on(topic, receive), topics.on(topic, receive)];
      return () => {
        for (const end of ends) end();
      };
    },
    memory(name, options) {
      checkMemoryOptions(options);
      return checkedMemory(engine.memory(name));
    },
    lock: async (name, work, options) => engine.lock(name, work, { wait: waitOf(name, options) }),
    roster: (name) => engine.roster(name),
  };
}

/** The shares of one process. */
export class LocalRoster implements Roster {
  readonly #shares = new Map<string, number>();

  set(shares: ReadonlyMap<string, number>): void {
    for (const [key, share] of shares)
      if (share === 0) this.#shares.delete(key);
      else this.#shares.set(key, share);
  }

  sum(key: string): number {
    return this.#shares.get(key) ?? 0;
  }
}
