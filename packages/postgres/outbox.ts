import type { EngineSettings, Traffic } from 'fwkit/peers';
import type { Connections } from './connections.js';
import type { Sent } from './wire.js';

/** What goes out in one statement, in bytes. */
const MAX_BATCH_BYTES = 256 * 1024;

/**
 * At a commit, NOTIFY takes a lock that all databases of a server share: what waits goes out in one statement. A number is in each
 * message, so that none is left out because another one in it is the same.
 */
const NOTIFY = 'SELECT count(pg_notify($1, one)) FROM unnest($2::text[]) AS one';
const KEEP_AND_NOTIFY = `WITH kept AS (INSERT INTO fwk.message (sender, number, text)
    SELECT $3, number, text FROM unnest($4::bigint[], $5::text[]) AS rows (number, text))
  ${NOTIFY}`;

export interface OutboxOptions {
  readonly connections: Connections;
  readonly traffic: Traffic;
  readonly settings: () => EngineSettings;
  readonly channel: string;
  /** The id of this process. */
  readonly sender: string;
}

/** The messages of this process, on their way to PostgreSQL: one after the other, many at a time. */
export class Outbox {
  readonly #options: OutboxOptions;
  #queue: Sent[] = [];
  /** Of what is not answered yet. */
  #bytes = 0;
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Never waits, never throws. */
  push(message: Sent): void {
    const { connections, traffic, settings } = this.#options;
    const { backlog, maxMessage } = settings();
    if (message.bytes > maxMessage) {
      traffic.oversized += 1;
      return;
    }
    const isFull = this.#bytes > 0 && this.#bytes + message.bytes > backlog;
    if (isFull || !connections.isThere) {
      if (!message.isBeat) traffic.unsent += 1;
      return;
    }
    this.#queue.push(message);
    this.#bytes += message.bytes;
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when nothing waits any more. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // What is sent in one go leaves in one.
    await undefined;
    const { traffic } = this.#options;
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      const count = batch.filter(({ isBeat }) => !isBeat).length;
      const isSent = await this.#send(batch);
      if (isSent) traffic.sent += count;
      else traffic.unsent += count;
      for (const { bytes } of batch) this.#bytes -= bytes;
    }
    this.#sending = undefined;
  }

  #nextBatch(): Sent[] {
    let bytes = 0;
    const end = this.#queue.findIndex((message) => {
      bytes += message.bytes;
      return bytes > MAX_BATCH_BYTES;
    });
    // One that is longer than all goes alone.
    return this.#queue.splice(0, end === -1 ? this.#queue.length : Math.max(1, end));
  }

  async #send(batch: readonly Sent[]): Promise<boolean> {
    const { connections, channel, sender } = this.#options;
    const values: unknown[] = [channel, batch.map(({ notification }) => notification)];
    const long = batch.filter(({ row }) => row !== undefined);
    const rows = [sender, long.map(({ number }) => number), long.map(({ row }) => row)];
    const query =
      long.length === 0
        ? { name: 'fwk.notify', text: NOTIFY, values }
        : { name: 'fwk.notify.long', text: KEEP_AND_NOTIFY, values: [...values, ...rows] };
    return connections.run(query).then(
      () => true,
      () => false,
    );
  }
}
