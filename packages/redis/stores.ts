import type { Fields, LeaseStore } from 'fwkit/peers';
import type { Roster, SharedMemory } from 'fwkit/plugin';
import type { LogEntry, LogStore } from './log-store.js';
import type { Names } from './names.js';
import {
  ADD,
  AFTER,
  APPEND,
  GET,
  LAST,
  LEAVE,
  LOCK,
  PUT,
  RENEW,
  type ScriptRunner,
  SHARE,
  SUM,
  TAKE,
  UNLOCK,
} from './scripts.js';

/** A memory that Redis keeps: a hash for each key, changed in one step. */
export function redisMemory(name: string, names: Names, scripts: ScriptRunner): SharedMemory {
  const keys = (key: string) => [names.memory(name, key)];
  return {
    async get(key) {
      const [left, held] = listOf(await scripts.run(GET, keys(key)));
      const fields = fieldsOf(held);
      return fields && { fields, left: Number(left) / 1000 };
    },
    async put(key, fields, maxAge, only) {
      const texts = Object.entries(fields).flatMap(([field, value]) => [escaped(field), value]);
      return Number(await scripts.run(PUT, keys(key), [milliseconds(maxAge), only ?? '', ...texts])) === 1;
    },
    take: async (key) => fieldsOf(await scripts.run(TAKE, keys(key))),
    add: async (key, amount, maxAge) =>
      Number(await scripts.run(ADD, keys(key), [String(amount), milliseconds(maxAge)])),
  };
}

/** A whole number, whatever is given: Redis takes no other. */
const milliseconds = (seconds: number): string =>
  String(Math.max(1, Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)));

/** Stands before names that would be read as something else: the empty one says that the key is there. */
const ESCAPE = '=';
const escaped = (field: string): string =>
  field === '' || field.startsWith(ESCAPE) ? ESCAPE + field : field;
const unescaped = (field: string): string => (field.startsWith(ESCAPE) ? field.slice(1) : field);

/** The fields of a hash, as scripts give them: names and values in turn. Undefined where there is none. */
function fieldsOf(held: unknown): Fields | undefined {
  const texts = listOf(held).map(String);
  if (texts.length === 0) return undefined;
  const fields: [string, string][] = [];
  for (let at = 0; at < texts.length; at += 2)
    if (texts[at] !== '') fields.push([unescaped(texts[at] ?? ''), texts[at + 1] ?? '']);
  return Object.fromEntries(fields);
}

export const listOf = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : []);

/** Locks that Redis keeps: a key for each, with whoever holds it, which ends by itself. */
export const redisLeases = (names: Names, scripts: ScriptRunner): LeaseStore => ({
  async acquire(name, holder, lease) {
    const keys = [names.lock(name), names.token];
    const [token = 0] = listOf(await scripts.run(LOCK, keys, [holder, String(lease)])).map(Number);
    return token > 0 ? token : undefined;
  },
  renew: async (name, holder, lease) =>
    Number(await scripts.run(RENEW, [names.lock(name)], [holder, String(lease)])) === 1,
  release: (name, holder) => scripts.run(UNLOCK, [names.lock(name)], [holder]),
});

/** The entries of a log in Redis: a stream, whose ids grow. */
export class RedisStream implements LogStore {
  readonly #key: string;
  readonly #scripts: ScriptRunner;

  constructor(key: string, scripts: ScriptRunner) {
    this.#key = key;
    this.#scripts = scripts;
  }

  async append(text: string, keep: number, maxAge: number): Promise<string> {
    return String(await this.#scripts.run(APPEND, [this.#key], [text, String(keep), String(maxAge * 1000)]));
  }

  async last(): Promise<string> {
    return String(await this.#scripts.run(LAST, [this.#key]));
  }

  async after(id: string, most: number): Promise<readonly LogEntry[]> {
    const found = listOf(await this.#scripts.run(AFTER, [this.#key], [id, String(most)]));
    return found.map((entry) => {
      const [at, fields] = listOf(entry);
      return { id: String(at), text: String(listOf(fields)[1]) };
    });
  }
}

/** How long the shares of a process count that says nothing more, in milliseconds. */
const SHARES_END_MS = 30_000;
/** How often it says so again. */
export const PROLONG_INTERVAL_MS = SHARES_END_MS / 3;
/** How long shares that are set are gathered, in milliseconds. */
const GATHER_MS = 20;
/** How many of them one script takes. */
const CHUNK = 1_000;

/** A roster that Redis keeps: the shares of each process, and which processes count. */
export class RedisRoster implements Roster {
  readonly #name: string;
  readonly #process: string;
  readonly #names: Names;
  readonly #scripts: ScriptRunner;
  /** All that are not 0. */
  readonly #shares = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** Whether Redis may have other shares than these. */
  #isStale = false;
  #hasShared = false;
  #gathering: NodeJS.Timeout | undefined;

  constructor(name: string, process: string, names: Names, scripts: ScriptRunner) {
    this.#name = name;
    this.#process = process;
    this.#names = names;
    this.#scripts = scripts;
  }

  set(shares: ReadonlyMap<string, number>): void {
    for (const [key, share] of shares) {
      if (share === 0) this.#shares.delete(key);
      else this.#shares.set(key, share);
      this.#changed.add(key);
    }
    this.#gathering ??= setTimeout(() => void this.#flush(), GATHER_MS).unref();
  }

  async sum(key: string): Promise<number> {
    const all = this.#names.roster(this.#name);
    return Number(await this.#scripts.run(SUM, [all], [all, key]));
  }

  /** Have the shares count further. Where Redis has lost them, or could not be told of a change, tell it all of them. */
  async prolong(): Promise<void> {
    if (!this.#hasShared) return;
    if (this.#isStale) return this.#send([...this.#shares.keys()], true);
    try {
      const wasThere = await this.#share([]);
      if (!wasThere && this.#shares.size > 0) await this.#send([...this.#shares.keys()], true);
    } catch {
      this.#isStale = true;
    }
  }

  /** Take the shares of this process away. */
  async leave(): Promise<void> {
    clearTimeout(this.#gathering);
    if (!this.#hasShared) return;
    await this.#scripts.run(LEAVE, this.#keys(), [this.#process]).catch(() => {});
  }

  #flush(): Promise<void> {
    this.#gathering = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    return this.#send(changed, false);
  }

  async #send(keys: readonly string[], areAll: boolean): Promise<void> {
    this.#hasShared = true;
    try {
      for (let at = 0; at === 0 || at < keys.length; at += CHUNK)
        await this.#share(keys.slice(at, at + CHUNK), areAll && at === 0);
      if (areAll) this.#isStale = false;
    } catch {
      this.#isStale = true;
    }
  }

  /** Whether Redis had shares of this process before. */
  async #share(keys: readonly string[], areAll = false): Promise<boolean> {
    const shares = keys.flatMap((key) => [key, String(this.#shares.get(key) ?? 0)]);
    const args = [this.#process, String(SHARES_END_MS), areAll ? 'all' : '', ...shares];
    return Number(await this.#scripts.run(SHARE, this.#keys(), args)) === 1;
  }

  #keys(): readonly string[] {
    return [this.#names.roster(this.#name), this.#names.roster(this.#name, this.#process)];
  }
}
