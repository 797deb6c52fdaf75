import { coded, isUnavailable, type Json, type Peers } from 'fwkit/plugin';
import { isAfter, isLogId, LocalStore, type LogEntry, type LogStore, streamSourceOf } from './log-store.js';

export interface LogOptions {
  /** About how many entries are kept. Default: 1,000. */
  readonly keep?: number;
  /** For how many seconds after the last one. Default: a day. */
  readonly maxAge?: number;
}

/** What was appended to a log, under the id by which clients go on. */
export interface Logged<T> {
  readonly id: string;
  readonly data: T;
}

/** What a log needs of a stream of events: the argument of the handler of `sse` has it. */
export interface EventSink {
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  send(data: unknown, fields: { readonly id: string }): Promise<void>;
}

/** A log that all machines append to and read, for who must not miss what was said while it was away. */
export interface Log<T = Json> {
  /** Resolves with the id of the entry. Rejects with `Unavailable`, and with TypeError for what JSON has not. */
  append(data: T): Promise<string>;
  /**
   * What came after the entry `id`, then all that comes, until `signal` aborts; without an id, from now on. Rejects with `Unavailable`
   * where nothing can be read at first; later it waits until that is possible again.
   */
  since(id: string | undefined, signal: AbortSignal): AsyncIterable<Logged<T>>;
  /** Send it all to one client: `export default sse((events) => events.ctx.news.replay(events))`. Each event has the id of its entry. */
  replay(events: EventSink): Promise<void>;
}

/**
 * A log in Redis, in a service: `service((ctx, { peers }) => log<News>(peers, 'news'))`. Where the plugin `redis` is off, a process that
 * serves alone keeps it in memory.
 */
export function log<T = Json>(
  peers: Peers,
  name: string,
  { keep = 1_000, maxAge = 86_400 }: LogOptions = {},
): Log<T> {
  for (const [option, value] of Object.entries({ keep, maxAge }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw coded(
        'FWK813',
        `log("${name}") takes ${option} as a whole number from 1 on, not ${String(value)}`,
      );
  const topic = `redis.log.${name}`;
  let known: LogStore | undefined;
  const store = (): LogStore => (known ??= storeOf(peers, name));
  const tail = new LogTail(store);
  peers.on(topic, () => tail.wake());

  async function* since(id: string | undefined, signal: AbortSignal): AsyncGenerator<Logged<T>, void> {
    for await (const entry of tail.since(id, signal)) yield { id: entry.id, data: JSON.parse(entry.text) };
  }

  return {
    async append(data) {
      const text: string | undefined = JSON.stringify(data);
      if (text === undefined)
        throw coded('FWK410', `log("${name}") takes what JSON has, not a value of type ${typeof data}`);
      const id = await store().append(text, keep, maxAge);
      tail.wake();
      peers.send(topic, null);
      return id;
    },
    since,
    async replay({ lastEventId, signal, send }) {
      for await (const { id, data } of since(lastEventId, signal)) await send(data, { id });
    },
  };
}

function storeOf(peers: Peers, name: string): LogStore {
  const source = streamSourceOf(peers.id);
  if (source) return source.stream(name);
  if (peers.span === 'process') return new LocalStore();
  throw coded(
    'FWK704',
    new Error(
      `log("${name}") needs redis() among the plugins of fwk.config: several processes serve, and nothing else keeps it for all of them`,
    ),
  );
}

/** How many entries are read at a time. */
const PAGE = 500;
/** The newest entries, which are kept for all readers: how many, and how many characters. */
const MAX_KEPT = 200;
const MAX_KEPT_CHARACTERS = 4_194_304;
/** Should nobody say that there is more, it is looked for all the same, in milliseconds. */
const LOOK_INTERVAL_MS = 5_000;

/** Reads a log for all who follow it in this process: what is new is read once. */
class LogTail {
  readonly #store: () => LogStore;
  /** Called when there is more. */
  readonly #readers = new Set<() => void>();
  /** All after `from`, up to the newest that is known. While that is not known, nothing is read. */
  #entries: LogEntry[] = [];
  #characters = 0;
  #from: string | undefined;
  #begun: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #hasMore = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: () => LogStore) {
    this.#store = store;
  }

  wake(): void {
    this.#hasMore = true;
    if (this.#from === undefined || this.#reading) return;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  /** Readers look, too: one that could not read goes on where it was. */
  #look(): void {
    this.wake();
    for (const more of this.#readers) more();
  }

  async #read(): Promise<void> {
    while (this.#hasMore && this.#from !== undefined) {
      this.#hasMore = false;
      const end = this.#entries.at(-1)?.id ?? this.#from;
      // What cannot be read now is read when it is looked for again.
      const found = await this.#store()
        .after(end, PAGE)
        .catch(() => []);
      // All readers have left meanwhile.
      if (this.#from === undefined) return;
      if (found.length === PAGE) this.#hasMore = true;
      if (found.length > 0) this.#keep(found);
    }
  }

  #keep(found: readonly LogEntry[]): void {
    for (const entry of found) {
      this.#entries.push(entry);
      this.#characters += entry.text.length;
    }
    let dropped = 0;
    while (this.#entries.length - dropped > MAX_KEPT || this.#characters > MAX_KEPT_CHARACTERS) {
      const oldest = this.#entries[dropped];
      if (!oldest) break;
      this.#characters -= oldest.text.length;
      this.#from = oldest.id;
      dropped += 1;
    }
    this.#entries.splice(0, dropped);
    for (const more of this.#readers) more();
  }

  async #begin(): Promise<void> {
    this.#entries = [];
    this.#characters = 0;
    this.#from = await this.#store().last();
    // Of what came meanwhile nobody has been told.
    this.wake();
  }

  /** What came after the entry `id`, or from now on, then all that comes. Rejects with Unavailable where nothing can be read at first. */
  async *since(id: string | undefined, signal: AbortSignal): AsyncGenerator<LogEntry, void> {
    let more = (): void => {};
    const reader = (): void => more();
    this.#readers.add(reader);
    signal.addEventListener('abort', reader);
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
    try {
      this.#begun ??= this.#begin();
      await this.#begun;
      let last = isLogId(id) ? id : await this.#store().last();
      let isFirst = true;
      while (!signal.aborted) {
        const waiting = new Promise<void>((resolve) => {
          more = resolve;
        });
        const from = this.#from ?? last;
        const isKept = !isAfter(from, last);
        const found = isKept ? this.#keptAfter(last) : await this.#page(last, isFirst);
        isFirst = false;
        for (const entry of found ?? []) {
          if (signal.aborted) return;
          yield entry;
          last = entry.id;
        }
        if (found?.length === 0 && !isKept) last = from;
        else if (!found || found.length === 0) await waiting;
      }
    } finally {
      this.#leave(reader, signal);
    }
  }

  /** What Redis has after an entry; undefined where it is away, and was not when the reader began. */
  async #page(last: string, isFirst: boolean): Promise<readonly LogEntry[] | undefined> {
    try {
      return await this.#store().after(last, PAGE);
    } catch (thrown) {
      if (isFirst || !isUnavailable(thrown)) throw thrown;
      return undefined;
    }
  }

  #keptAfter(last: string): readonly LogEntry[] {
    const first = this.#entries.findIndex(({ id }) => isAfter(id, last));
    return first === -1 ? [] : this.#entries.slice(first);
  }

  #leave(reader: () => void, signal: AbortSignal): void {
    signal.removeEventListener('abort', reader);
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#begun = undefined;
    this.#from = undefined;
  }
}
