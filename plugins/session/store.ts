import { type Clock, isObject, isThenable, type Project, type Runtime } from '../../kernel/index.js';
import { type Fields, type Lock, type MemoryEntry, peersOf, type SharedMemory } from '../../peers/index.js';
import { logSafely } from '../../scope/index.js';
import { sessionFiles } from '../context/index.js';
import { SessionEnds } from './ends.js';
import { givenSecrets, noSecret } from './secrets.js';
import { type SessionBackend, Signer } from './sessions.js';
import { UserSessions } from './users.js';

/** Stores sessions by random ID as opaque texts. May be asynchronous; if it throws, the response is 500. */
export interface SessionStore {
  /** Read the text of `id`, if there is one. */
  get(id: string): Promise<string | null | undefined> | string | null | undefined;
  /** Store `text` under `id`, replacing an earlier text. It may be deleted after `maxAge` seconds. */
  set(id: string, text: string, maxAge: number): unknown;
  /** Delete the text of `id`, if there is one. */
  delete(id: string): unknown;
  /** Close connections, because the process is shutting down. */
  close?(): unknown;
}

/** Reads and writes after which a session has outlived its first request, and is evicted last. */
const RETURNED = 3;

/** Modes in which a project may run with a random secret of this process. */
const MODES_WITHOUT_SECRET = ['development', 'test'];

/**
 * Open the session storage of `project`: the same storage for every version of the runtime, so that
 * a reload loses no session. Throws a BootError if a secret is required and missing.
 */
export async function openSessions(
  runtime: Runtime,
  project: Project,
  secrets: string | readonly string[],
  given: SessionStore | undefined,
): Promise<SessionBackend> {
  const real = givenSecrets(secrets, process.env.SESSION_SECRET);
  if (real.length === 0 && !process.env.FWK_SECRET?.trim() && !MODES_WITHOUT_SECRET.includes(project.mode))
    throw noSecret(project.display(sessionFiles(project)[0] ?? ''));
  const peers = peersOf(runtime);
  const stores = await runtime.getOrCreate('session', () => {
    const stores = new Set<SessionStore>();
    runtime.onClose(async () => {
      for (const store of stores)
        try {
          await store.close?.();
        } catch (thrown) {
          logSafely(project.logger, 'error', 'The session store could not be closed', thrown);
        }
    });
    return stores;
  });
  if (given) stores.add(given);
  const { lock } = peers;
  const { clock } = project;
  const memory = given ? memoryOf(given, lock, clock) : peers.memory('session', { often: RETURNED });
  return {
    memory,
    // In a memory of its own, because visitors who are not logged in must not evict the lists.
    users: new UserSessions(given ? memory : peers.memory('session.users'), lock, clock),
    clock,
    ends: await runtime.getOrCreate('session.ends', () => new SessionEnds(peers, project.clock)),
    signer: new Signer(real.length > 0 ? real : [peers.secret('session')]),
  };
}

/** The project's store as a `SharedMemory`. It has no atomic operations, so changes take a lock. */
function memoryOf(store: SessionStore, lock: Lock, clock: Clock): SharedMemory {
  const changing = <T>(id: string, work: () => Promise<T>): Promise<T> => lock(`session.${id}`, work);
  const get = (id: string): Promise<MemoryEntry | undefined> | MemoryEntry | undefined => {
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
      // No lock: nobody else knows a new ID.
      if (only === 'new') {
        await set(id, fields, maxAge);
        return true;
      }
      return changing(id, async () => {
        const stored = await get(id);
        if (only === 'existing' && stored === undefined) return false;
        await set(id, { ...stored?.fields, ...fields }, maxAge);
        return true;
      });
    },
    take: (id) =>
      changing(id, async () => {
        const stored = await get(id);
        await store.delete(id);
        return stored?.fields;
      }),
    add() {
      throw new Error('sessions do not count');
    },
  };
}

interface SessionRecord {
  /** When it expires, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** JSON by key of `ctx`, each parsed only when it is read. */
  readonly values: Fields;
}

const recordText = (values: Fields, maxAge: number, clock: Clock): string =>
  JSON.stringify({ until: clock.date() + maxAge * 1000, values } satisfies SessionRecord);

/** Read the text of `recordText`; undefined for an expired record and for any other text. */
function readRecord(text: string | null | undefined, clock: Clock): MemoryEntry | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const { until, values }: Partial<Record<keyof SessionRecord, unknown>> = JSON.parse(text);
    if (typeof until !== 'number') return undefined;
    const left = (until - clock.date()) / 1000;
    return left > 0 && isFields(values) ? { fields: values, left } : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (values: unknown): values is Fields =>
  isObject(values) && Object.values(values).every((text) => typeof text === 'string');
