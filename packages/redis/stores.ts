import { createHash } from 'node:crypto';
import type { Fields, LeaseStore } from 'fwkit/peers';
import type { SharedMemory } from 'fwkit/plugin';
import type { Broker } from './broker.js';
import type { LogEntry, LogStore } from './log-store.js';
import type { Names } from './wire.js';

/** A Lua script, which Redis runs atomically. Each uses keys of one hash slot only. */
interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** The time of the server in milliseconds, because the clocks of processes may differ. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: a hash. Returns its remaining milliseconds and its fields. */
export const GET = script(`return {redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1])}`);

/** ARGV: milliseconds, `only`, fields and values. The field '' marks the key as existing, because Redis deletes empty hashes. */
const PUT = script(`
local there = redis.call('EXISTS', KEYS[1])
if (ARGV[2] == 'new' and there == 1) or (ARGV[2] == 'existing' and there == 0) then return 0 end
if there == 0 then redis.call('HSET', KEYS[1], '', '') end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`);

const TAKE = script(`
local held = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return held`);

/** ARGV: the amount, milliseconds. */
const ADD = script(`
local sum = redis.call('HINCRBYFLOAT', KEYS[1], 'sum', ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return sum`);

/**
 * KEYS: a lock, the counter of tokens. ARGV: the holder, milliseconds. Returns the token, or 0 and the remaining milliseconds of the
 * current holder. Tokens are at least the current time, so that they keep growing even if the server loses the counter.
 */
const LOCK = script(`
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return {0, left} end
${NOW}
local token = redis.call('INCR', KEYS[2])
if token < now then
  token = now
  redis.call('SET', KEYS[2], string.format('%.0f', now))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {token, 0}`);

const RENEW = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const UNLOCK = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** KEYS: a stream. ARGV: the text, the approximate number of entries to keep, milliseconds. Returns the id of the entry. */
const APPEND = script(`
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 't', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return id`);

/** KEYS: a stream. ARGV: an id, the maximum number of entries. Returns the entries after that id. */
const AFTER = script(`return redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])`);

const LAST = script(`
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return last and last[1] or '0-0'`);

export class ScriptRunner {
  readonly #known = new Set<Script>();

  constructor(private readonly broker: Broker) {}

  async run(script: Script, keys: readonly string[], args: readonly string[] = []): Promise<unknown> {
    const tail = [String(keys.length), ...keys, ...args];
    if (this.#known.has(script))
      try {
        return await this.broker.ask(['EVALSHA', script.sha, ...tail]);
      } catch (cause) {
        // The server was restarted or replaced.
        if (!(cause instanceof Error && cause.message.includes('NOSCRIPT'))) throw cause;
      }
    const answer = await this.broker.ask(['EVAL', script.text, ...tail]);
    this.#known.add(script);
    return answer;
  }
}

/** A memory in Redis: a hash for each key, changed atomically. */
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

/** An integer, because Redis accepts no other number. */
const milliseconds = (seconds: number): string =>
  String(Math.max(1, Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)));

/** Prefix of field names that would be ambiguous: the empty name is the marker of PUT. */
const ESCAPE = '=';
const escaped = (field: string): string =>
  field === '' || field.startsWith(ESCAPE) ? ESCAPE + field : field;
const unescaped = (field: string): string => (field.startsWith(ESCAPE) ? field.slice(1) : field);

/** Converts the result of HGETALL, alternating names and values, to fields. Undefined if the key does not exist. */
function fieldsOf(held: unknown): Fields | undefined {
  const texts = listOf(held).map(String);
  if (texts.length === 0) return undefined;
  const fields: [string, string][] = [];
  for (let at = 0; at < texts.length; at += 2)
    if (texts[at] !== '') fields.push([unescaped(texts[at] ?? ''), texts[at + 1] ?? '']);
  return Object.fromEntries(fields);
}

export const listOf = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : []);

/** Locks in Redis: each is a key that contains its holder and expires with the lease. */
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

export class RedisStream implements LogStore {
  constructor(
    private readonly key: string,
    private readonly scripts: ScriptRunner,
  ) {}

  async append(text: string, keep: number, maxAge: number): Promise<string> {
    return String(await this.scripts.run(APPEND, [this.key], [text, String(keep), String(maxAge * 1000)]));
  }

  async last(): Promise<string> {
    return String(await this.scripts.run(LAST, [this.key]));
  }

  async after(id: string, most: number): Promise<readonly LogEntry[]> {
    const found = listOf(await this.scripts.run(AFTER, [this.key], [id, String(most)]));
    return found.map((entry) => {
      const [at, fields] = listOf(entry);
      return { id: String(at), text: String(listOf(fields)[1]) };
    });
  }
}
