import { coded, type Json, type Peers } from 'fwkit/plugin';
import { LocalStore, type LogStore } from './log-store.js';
import { LogTail } from './log-tail.js';
import { streamSourceOf } from './stream-sources.js';

export type {} from './codes.js';

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
        new TypeError(`log("${name}") takes ${option} as a whole number from 1 on, not ${String(value)}`),
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
          new TypeError(`log("${name}") takes what JSON has, not a value of type ${typeof data}`),
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
      `log("${name}") needs redis() among the plugins of fwk.config: several processes serve, and nothing else keeps it for all of them`,
    ),
  );
}
