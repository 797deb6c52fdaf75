import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/index.js';
import type { Lock, SharedMemory } from '../../peers/index.js';

/** The most sessions that are listed for one user. A further one ends the session that was listed first. */
const MAX_SESSIONS = 1_000;

/** The only field of an entry: a JSON list of `[session ID, time in seconds when it is no longer listed]`, oldest first. */
const LIST = 'list';

type Listed = readonly (readonly [id: string, until: number])[];

/**
 * Lists the sessions of each user, so that all of them can be ended. Only changed at a login, at a renewal, and when a session
 * has not been listed again for half of its lifetime.
 */
export class UserSessions {
  constructor(
    private readonly memory: SharedMemory,
    private readonly lock: Lock,
    private readonly clock: Clock,
  ) {}

  /** List a session for `maxAge` seconds. Returns the IDs that are no longer listed because the user has too many sessions. */
  add(user: string, id: string, maxAge: number): Promise<readonly string[]> {
    return this.#locked(user, async (key) => {
      const now = this.clock.date() / 1000;
      const others = (await this.#read(key)).filter(([other, until]) => other !== id && until > now);
      const dropped = others.splice(0, Math.max(0, others.length + 1 - MAX_SESSIONS));
      const listed: Listed = [...others, [id, Math.ceil(now + maxAge)]];
      await this.memory.put(key, { [LIST]: JSON.stringify(listed) }, maxAge);
      return dropped.map(([other]) => other);
    });
  }

  /**
   * Call `end` with each session of a user. The sessions stay listed if that fails. Resolves with the number of sessions that
   * existed: the list also has sessions that ended before.
   */
  endAll(user: string, end: (id: string) => Promise<boolean>): Promise<number> {
    return this.#locked(user, async (key) => {
      const listed = await this.#read(key);
      const ended = await Promise.all(listed.map(([id]) => end(id)));
      await this.memory.take(key);
      return ended.filter((existed) => existed).length;
    });
  }

  async #read(key: string): Promise<[string, number][]> {
    const { [LIST]: text = '[]' } = (await this.memory.get(key))?.fields ?? {};
    return JSON.parse(text);
  }

  /** With a lock, because a login at the same time must not be lost. */
  #locked<T>(user: string, work: (key: string) => Promise<T>): Promise<T> {
    // Longer than a session ID, and without characters that a store could reject.
    const key = createHash('sha256').update(user).digest('base64url');
    return this.lock(`session.user.${key}`, () => work(key));
  }
}
