import { createHash } from 'node:crypto';
import type { Broker } from './broker.js';

/** A step that no other comes between. Each touches keys of one slot only. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** The time of the server in milliseconds: nobody asks for that of a process. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: a hash. Gives the milliseconds that are left, and its fields. */
export const GET = script(`return {redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1])}`);

/** ARGV: for how long, which keys only, fields and values. The field '' is "there", since Redis keeps no empty hashes. */
export const PUT = script(`
local there = redis.call('EXISTS', KEYS[1])
if (ARGV[2] == 'new' and there == 1) or (ARGV[2] == 'existing' and there == 0) then return 0 end
if there == 0 then redis.call('HSET', KEYS[1], '', '') end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`);

export const TAKE = script(`
local held = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return held`);

/** ARGV: how much, for how long. */
export const ADD = script(`
local sum = redis.call('HINCRBYFLOAT', KEYS[1], 'sum', ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return sum`);

/**
 * KEYS: a lock, the counter of tokens. ARGV: who asks, for how long. Gives the token, or 0 and for how long the lock is taken. Tokens
 * are not below the time, so that they grow even where a server has lost the counter.
 */
export const LOCK = script(`
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

export const RENEW = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

export const UNLOCK = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** KEYS: a stream. ARGV: the text, about how many entries stay, for how long. Gives the id of the entry. */
export const APPEND = script(`
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 't', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return id`);

/** KEYS: a stream. ARGV: an id, at most how many. Gives what came after that id. */
export const AFTER = script(`return redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])`);

export const LAST = script(`
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return last and last[1] or '0-0'`);

/** Runs scripts by their digest, once the server has them. */
export class ScriptRunner {
  readonly #broker: Broker;
  readonly #known = new Set<Script>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async run(script: Script, keys: readonly string[], args: readonly string[] = []): Promise<unknown> {
    const tail = [String(keys.length), ...keys, ...args];
    if (this.#known.has(script))
      try {
        return await this.#broker.ask(['EVALSHA', script.sha, ...tail]);
      } catch (cause) {
        // The server has been started again, or it is another.
        if (!(cause instanceof Error && cause.message.includes('NOSCRIPT'))) throw cause;
      }
    const answer = await this.#broker.ask(['EVAL', script.text, ...tail]);
    this.#known.add(script);
    return answer;
  }
}
