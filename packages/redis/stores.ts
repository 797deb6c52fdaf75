import type { Fields, LeaseStore } from 'fwkit/peers';
import type { SharedMemory } from 'fwkit/plugin';
import type { LogEntry, LogStore } from './log-store.js';
import type { Names } from './names.js';
import {
  ADD,
  AFTER,
  APPEND,
  GET,
  LAST,
  LOCK,
  PUT,
  RENEW,
  type ScriptRunner,
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
