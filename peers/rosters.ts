import type { MemoryEntry, Roster, SharedMemory } from './contract.js';

/** The memory that lists the processes with shares: their ids are fields of the key '', and each living process has a key. */
export const ALIVE = 'peers.alive';
/** The interval of a process's heartbeat in milliseconds, and the seconds that it counts as alive afterwards. */
const BEAT_MS = 3_000;
const ALIVE_SECONDS = 15;
/** How long the list of living processes is cached, in milliseconds. */
const LIVING_MS = 500;
/** If the list names more dead processes than this, a process that joins cleans it up. */
const MAX_DEAD = 20;

/** The number of records per process and roster. A change rewrites only the record of its key. */
const RECORDS = 256;
/** How long a record is kept, in seconds, and how often a process writes all of its records again, in milliseconds. */
const RECORD_SECONDS = 2 * 86_400;
const REWRITE_MS = 86_400_000;

/** The rosters of one process, in shared memories. A process without a heartbeat is not counted, even though its records remain. */
export class Rosters {
  #known: SharedMemory | undefined;
  readonly #shares = new Map<string, OwnShares>();
  #living: Promise<readonly string[]> | undefined;
  #askedAt = 0;
  #joinedAt = Number.NEGATIVE_INFINITY;
  #beating: NodeJS.Timeout | undefined;

  constructor(
    private readonly id: string,
    private readonly memory: (name: string) => SharedMemory,
  ) {}

  /** Created with the first roster, since most apps have none. */
  get #alive(): SharedMemory {
    this.#known ??= this.memory(ALIVE);
    return this.#known;
  }

  of(name: string): Roster {
    const memory = this.memory(`roster.${name}`);
    const own = this.#shares.get(name) ?? new OwnShares(this.id, memory);
    this.#shares.set(name, own);
    return {
      set: (shares) => {
        own.set(shares);
        if (this.#beating) return own.write();
        this.#beating = setInterval(() => void this.#beat(), BEAT_MS).unref();
        void this.#beat();
      },
      sum: async (key) => {
        const ids = await this.#livingIds();
        const records = await Promise.all(ids.map((id) => memory.get(recordKey(id, recordOf(key)))));
        return records.reduce((sum, record) => sum + (sharesIn(record).get(key) ?? 0), 0);
      },
    };
  }

  async leave(): Promise<void> {
    clearInterval(this.#beating);
    if (this.#beating) await (async () => this.#alive.take(this.id))().catch(() => {});
  }

  /** Send a heartbeat, and write records that could not be written before. Never rejects. */
  async #beat(): Promise<void> {
    try {
      await this.#alive.put('', { [this.id]: '' }, RECORD_SECONDS);
      const isKnown = await this.#alive.put(this.id, {}, ALIVE_SECONDS, 'existing');
      if (!isKnown || performance.now() - this.#joinedAt > REWRITE_MS) await this.#join();
    } catch {
      // The next beat tries again.
    }
    for (const own of this.#shares.values()) own.write();
  }

  /** This process is new to the memory, or the memory has lost its data: write everything. */
  async #join(): Promise<void> {
    const { living, dead } = await this.#listed();
    if (dead > MAX_DEAD) {
      await this.#alive.take('');
      await this.#alive.put('', Object.fromEntries(living.map((id) => [id, ''])), RECORD_SECONDS);
    }
    await this.#alive.put(this.id, {}, ALIVE_SECONDS);
    for (const own of this.#shares.values()) own.forget();
    this.#joinedAt = performance.now();
    this.#living = undefined;
  }

  #livingIds(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#living && now - this.#askedAt < LIVING_MS) return this.#living;
    this.#askedAt = now;
    this.#living = this.#listed().then(({ living }) => living);
    this.#living.catch(() => {
      this.#living = undefined;
    });
    return this.#living;
  }

  async #listed(): Promise<{ readonly living: readonly string[]; readonly dead: number }> {
    const ids = Object.keys((await this.#alive.get(''))?.fields ?? {});
    const signs = await Promise.all(ids.map((id) => this.#alive.get(id)));
    const living = ids.filter((_, index) => signs[index] !== undefined);
    return { living, dead: ids.length - living.length };
  }
}

class OwnShares {
  readonly #shares = new Map<string, number>();
  readonly #records = new Map<number, Map<string, number>>();
  /** Numbers of the records that may differ from the memory. */
  readonly #stale = new Set<number>();
  #writing: Promise<void> | undefined;

  constructor(
    private readonly id: string,
    private readonly memory: SharedMemory,
  ) {}

  set(shares: ReadonlyMap<string, number>): void {
    for (const [key, share] of shares) this.#put(key, share);
    for (const key of this.#shares.keys()) if (!shares.has(key)) this.#put(key, 0);
  }

  forget(): void {
    for (const record of this.#records.keys()) this.#stale.add(record);
  }

  /** Write the stale records. Never throws: a later call retries after a failure. */
  write(): void {
    this.#writing ??= this.#writeAll()
      .catch(() => {})
      .finally(() => {
        this.#writing = undefined;
      });
  }

  #put(key: string, share: number): void {
    if ((this.#shares.get(key) ?? 0) === share) return;
    const record = recordOf(key);
    const entries = this.#records.get(record) ?? new Map<string, number>();
    this.#records.set(record, entries);
    this.#stale.add(record);
    for (const map of [this.#shares, entries])
      if (share === 0) map.delete(key);
      else map.set(key, share);
  }

  async #writeAll(): Promise<void> {
    // A record that changes during its write becomes stale again, so this loop writes it again.
    for (const record of this.#stale) {
      this.#stale.delete(record);
      const key = recordKey(this.id, record);
      const entries = this.#records.get(record) ?? [];
      const text = JSON.stringify([...entries]);
      try {
        if (text === '[]') await this.memory.take(key);
        else await this.memory.put(key, { shares: text }, RECORD_SECONDS);
      } catch (thrown) {
        this.#stale.add(record);
        throw thrown;
      }
    }
  }
}

const recordKey = (id: string, record: number): string => `${id} ${record}`;

/** The number of the record that contains the share of a key. */
function recordOf(key: string): number {
  let hash = 0;
  for (const byte of Buffer.from(String(key))) hash = (hash * 31 + byte) % 1_000_003;
  return hash % RECORDS;
}

const sharesIn = (record: MemoryEntry | undefined): ReadonlyMap<string, number> =>
  new Map(JSON.parse(record?.fields.shares ?? '[]'));
