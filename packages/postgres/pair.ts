import { type Clients, connect, destroy, type PostgresClient } from './client.js';
import { QueryQueue } from './query-queue.js';
import { reasonOf } from './reason.js';
import { within } from './time-limit.js';

export interface PairOptions {
  /** Called with the client that asks, before it is used for anything else. */
  readonly prepare: (asks: PostgresClient) => Promise<unknown>;
  /** As a statement has it. */
  readonly channel: string;
  readonly receive: (notification: string) => void;
  /** One of the connections has ended, which ends the other. */
  readonly onEnd: (reason: string) => void;
}

/** Two connections: one asks, the other one listens. */
export class Pair {
  readonly #asks: PostgresClient;
  readonly #hears: PostgresClient;
  readonly #options: PairOptions;
  readonly queue: QueryQueue;
  /** Why it has ended. */
  #ended: string | undefined;

  /** Throws what keeps a client from being made. */
  constructor(clients: Clients, options: PairOptions) {
    this.#options = options;
    this.#asks = clients.make();
    this.#hears = clients.make();
    this.queue = new QueryQueue(this.#asks);
    for (const client of [this.#asks, this.#hears]) {
      client.on('error', (cause) => this.#end(reasonOf(cause)));
      client.on('end', () => this.#end('the connection ended'));
    }
    this.#hears.on('notification', ({ payload }) => options.receive(payload ?? ''));
  }

  /** Rejects with what keeps it from connecting within `limit` milliseconds; it is destroyed then. */
  async open(limit: number): Promise<void> {
    try {
      await within(this.#begin(), limit, () => new Error(`no answer within ${limit} ms`));
      if (this.#ended !== undefined) throw new Error(this.#ended);
    } catch (cause) {
      this.destroy();
      throw cause;
    }
  }

  async #begin(): Promise<void> {
    const { prepare, channel } = this.#options;
    await Promise.all([this.#asks, this.#hears].map(connect));
    await prepare(this.#asks);
    await this.#hears.query({ text: `LISTEN ${channel}` });
  }

  /** End in order, or after `limit` milliseconds at once. */
  async close(limit: number): Promise<void> {
    const farewell = Promise.allSettled([this.#asks.end(), this.#hears.end()]);
    await within(farewell, limit, () => new Error('late')).catch(() => this.destroy());
  }

  destroy(): void {
    this.#ended ??= 'closed';
    for (const client of [this.#asks, this.#hears]) destroy(client);
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#options.onEnd(reason);
  }
}
