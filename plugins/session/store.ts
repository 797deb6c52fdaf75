import {
  type Clock,
  type Fields,
  isThenable,
  type Kept,
  type Lock,
  type SharedMemory,
} from '../../kernel/index.js';
import { readRecord, recordText } from './record.js';

/**
 * Stores sessions between requests. Each method may be asynchronous; what it throws is answered with 500. Ids are
 * random, texts are opaque.
 */
export interface SessionStore {
  /** Read the text of `id`, if there is one. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined;
  /** Store `text` under `id`, in place of an earlier one. It may be dropped after `maxAge` seconds. */
  set(id: string, text: string, maxAge: number): unknown;
  /** Delete the text of `id`, if there is one. */
  delete(id: string): unknown;
  /** Close connections: the process stops. */
  close?(): unknown;
}

/**
 * The memory that a store of the project makes: it has a text for each session and no steps of its own, so that each change is made
 * under a lock.
 */
export function memoryOf(store: SessionStore, lock: Lock, clock: Clock): SharedMemory {
  const changing = <T>(id: string, work: () => Promise<T>): Promise<T> => lock(`session.${id}`, work);
  const get = (id: string): Promise<Kept | undefined> | Kept | undefined => {
    const text = store.get(id);
    return isThenable(text)
      ? Promise.resolve(text).then((given) => readRecord(given, clock))
      : readRecord(text, clock);
  };
  const set = async (id: string, fields: Fields, maxAge: number): Promise<void> =>
    void (await store.set(id, recordText(fields, maxAge, clock), maxAge));
  return {
    get,
    async put(id, fields, maxAge, only) {
      // Nobody else knows a new id.
      if (only === 'new') {
        await set(id, fields, maxAge);
        return true;
      }
      return changing(id, async () => {
        const kept = await get(id);
        if (only === 'existing' && kept === undefined) return false;
        await set(id, { ...kept?.fields, ...fields }, maxAge);
        return true;
      });
    },
    take: (id) =>
      changing(id, async () => {
        const kept = await get(id);
        await store.delete(id);
        return kept?.fields;
      }),
    add() {
      throw new Error('sessions do not count');
    },
  };
}
