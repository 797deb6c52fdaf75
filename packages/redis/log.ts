import { coded, isUnavailable, type Json, type Peers } from 'fwkit/plugin';
import { isAfter, isLogId, LocalStore, type LogEntry, type LogStore, streamSourceOf } from './log-store.js';

export interface LogOptions {
  /** The approximate number of entries to keep. Default: 1,000. */
  readonly keep?: number;
  /** How long the log is kept after its last entry, in seconds. Default: a day. */
  readonly maxAge?: number;
}

/** An entry of a log, with the id from which clients continue. */
export interface Logged<T> {
  readonly id: string;
  readonly data: T;
}

/** The members of an event stream that a log uses. The argument of an `sse` handler has them. */
export interface EventSink {
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  send(data: unknown, fields: { readonly id: string }): Promise<void>;
}

/** A log that all machines append to and read, for clients that must not miss entries while they are disconnected. */
export interface Log<T = Json> {
  /** Resolves with the id of the entry. Rejects with `Unavailable`, and with TypeError for data that JSON cannot represent. */
  append(data: T): Promise<string>;
  /**
   * The entries after the entry `id`, then each new entry, until `signal` aborts. Without an id, only new entries. Rejects with
   * `Unavailable` if the first read fails; later it waits until the log is available again.
   */
  since(id: string | undefined, signal: AbortSignal): AsyncIterable<Logged<T>>;
  /** Send missed and new entries to one client: `export default sse((events) => events.ctx.news.replay(events))`. Each event has the id of its entry. */
  replay(events: EventSink): Promise<void>;
}

/**
 * A log in Redis, for use in a service: `service((ctx, { peers }) => log<News>(peers, 'news'))`. Without the plugin `redis`, a process
 * that serves alone keeps the log in memory.
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
        `The option "${option}" of log("${name}") must be a positive integer, not ${String(value)}`,
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
        throw coded(
          'FWK410',
          `log("${name}") cannot append a value of type ${typeof data}, because JSON cannot represent it`,
        );
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
      `log("${name}") needs the plugin redis() in fwk.config, because several processes serve this app`,
    ),
  );
}

/** The number of entries per read. */
const PAGE = 500;
/** The limits of the cache of the newest entries, which all readers use. */
const MAX_KEPT = 200;
const MAX_KEPT_CHARACTERS = 4_194_304;
/** How often to read even without a notification, in milliseconds, because notifications may be lost. */
const LOOK_INTERVAL_MS = 5_000;

/** Reads a log for all its readers in this process, each new entry once. */
class LogTail {
  readonly #readers = new Set<() => void>();
  /** All entries after `from`, up to the newest known entry. While `from` is undefined, nothing is read. */
  #entries: LogEntry[] = [];
  #characters = 0;
  #from: string | undefined;
  #begun: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #hasMore = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: () => LogStore) {}

  wake(): void {
    this.#hasMore = true;
    if (this.#from === undefined || this.#reading) return;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  /** Wake the readers as well, so that a reader whose last read failed tries again. */
  #look(): void {
    this.wake();
    for (const more of this.#readers) more();
  }

  async #read(): Promise<void> {
    while (this.#hasMore && this.#from !== undefined) {
      this.#hasMore = false;
      const end = this.#entries.at(-1)?.id ?? this.#from;
      // After a failure, the next look reads again.
      const found = await this.store()
        .after(end, PAGE)
        .catch(() => []);
      // All readers have left in the meantime.
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
    this.#from = await this.store().last();
    // No notification has announced the entries appended since then.
    this.wake();
  }

  /** The entries after the entry `id`, or new entries only. Rejects with Unavailable if the first read fails. */
  async *since(id: string | undefined, signal: AbortSignal): AsyncGenerator<LogEntry, void> {
    let more = (): void => {};
    const reader = (): void => more();
    this.#readers.add(reader);
    signal.addEventListener('abort', reader);
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
    try {
      this.#begun ??= this.#begin();
      await this.#begun;
      let last = isLogId(id) ? id : await this.store().last();
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

  /** The entries in Redis after an entry; undefined if Redis is unavailable and this is not the first read. */
  async #page(last: string, isFirst: boolean): Promise<readonly LogEntry[] | undefined> {
    try {
      return await this.store().after(last, PAGE);
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
