import type { EngineSettings } from 'fwkit/peers';
import { messageOf, Unavailable } from 'fwkit/plugin';
import { type Answer, Clients, connect, destroy, type PostgresClient, type Query } from './client.js';

/** The first and the longest pause before another attempt to connect, in milliseconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [100, 2_000];
/** Errors in the data of a query, such as an invalid number, which a retry does not fix (SQLSTATE class 22). */
const MISTAKE = /^22/;
/** The server accepts no writes, because another server has replaced it or is about to. */
const READ_ONLY = '25006';

export interface ConnectionsOptions extends Omit<PairOptions, 'onEnd'> {
  readonly makeClient: () => PostgresClient;
  readonly settings: () => EngineSettings;
  readonly onAway: (reason: string) => void;
  readonly onBack: () => void;
}

/** One process's view of PostgreSQL, which is available or not. Connections that end are replaced. */
export class Connections {
  readonly #clients: Clients;
  #pair: Pair | undefined;
  /** The pair that is being connected. */
  #next: Pair | undefined;
  #isClosed = false;
  /** Times of `performance.now()`: the last answer, the last notification, the timeout of an overdue answer, the last `watch`. */
  #answeredAt = 0;
  #heardAt = 0;
  #stalledAt: number | undefined;
  #watchedAt = 0;

  constructor(private readonly options: ConnectionsOptions) {
    this.#clients = new Clients(options.makeClient);
  }

  get isThere(): boolean {
    return this.#pair !== undefined && this.#stalledAt === undefined;
  }

  /** Connect. Rejects with the reason if that fails, after `bootLimit` at the latest, and leaves no connection open. */
  async open(): Promise<void> {
    await this.#connect(this.options.settings().bootLimit);
  }

  /** Run a query. Rejects with Unavailable: within `timeout`, and immediately while PostgreSQL is unavailable. */
  ask(query: Query): Promise<Answer> {
    const pair = this.#pair;
    if (!pair || this.#stalledAt !== undefined)
      return Promise.reject(new Unavailable('postgres is unavailable'));
    const { timeout } = this.options.settings();
    const { answer, giveUp } = pair.queue.ask(query);
    return within(this.#observed(pair, answer), timeout, () => {
      giveUp();
      this.#stall(pair, timeout);
      return new Unavailable(`postgres did not answer within ${timeout} ms`);
    });
  }

  /** The same without a timeout: if the connection does not answer, this waits until it is replaced. */
  run(query: Query): Promise<Answer> {
    const pair = this.#pair;
    if (!pair) return Promise.reject(new Unavailable('postgres is unavailable'));
    return this.#observed(pair, pair.queue.ask(query).answer);
  }

  /** Check that both connections still work. Call it every `timeout`. */
  watch(): void {
    const pair = this.#pair;
    const { timeout, giveUp, heartbeat } = this.options.settings();
    const now = performance.now();
    // Messages that arrived while this process was blocked have not been read yet.
    const wasBlocked = now - this.#watchedAt > 2 * timeout;
    this.#watchedAt = now;
    if (!pair || wasBlocked) return;
    if (this.#stalledAt !== undefined) {
      if (now - this.#stalledAt > giveUp) this.#lose(pair, `no answer within ${giveUp} ms`);
    } else if (now - this.#heardAt > heartbeat + giveUp) {
      // This process receives its own heartbeat as well.
      this.#lose(pair, `no message received for ${heartbeat + giveUp} ms`);
    } else if (now - this.#answeredAt > timeout) this.ask({ text: 'SELECT 1' }).catch(() => {});
  }

  /** Close the connections. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pair = this.#pair;
    this.#pair = undefined;
    this.#next?.destroy();
    await pair?.close(this.options.settings().timeout);
  }

  async #connect(limit: number): Promise<void> {
    const { prepare, channel, receive, onBack } = this.options;
    const pair: Pair = new Pair(this.#clients, {
      prepare,
      channel,
      receive: (notification) => {
        this.#heardAt = performance.now();
        receive(notification);
      },
      onEnd: (reason) => this.#lose(pair, reason),
    });
    this.#next = pair;
    await pair.open(limit).finally(() => {
      this.#next = undefined;
    });
    this.#pair = pair;
    this.#stalledAt = undefined;
    this.#answeredAt = this.#heardAt = this.#watchedAt = performance.now();
    onBack();
  }

  #lose(pair: Pair, reason: string): void {
    if (this.#pair !== pair) return;
    this.#pair = undefined;
    this.options.onAway(reason);
    pair.destroy();
    void this.#again();
  }

  async #again(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#isClosed; pause = Math.min(2 * pause, MAX_PAUSE_MS))
      try {
        return await this.#connect(this.options.settings().giveUp);
      } catch {
        // The random factor spreads the attempts of machines that have lost the server at the same time.
        await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())).unref());
      }
  }

  /** Wait for the answer and update the state of the connection. Rejects with Unavailable, or with a plain Error for invalid data. */
  async #observed(pair: Pair, answer: Promise<Answer>): Promise<Answer> {
    try {
      const result = await answer;
      this.#answered(pair);
      return result;
    } catch (cause) {
      const code = codeOf(cause);
      if (code !== undefined) this.#answered(pair);
      if (code === READ_ONLY) this.#lose(pair, messageOf(cause));
      // The error has no `cause`, because the client's error contains the values that were sent.
      const reason = `postgres: ${messageOf(cause)}`;
      throw code !== undefined && MISTAKE.test(code) ? new Error(reason) : new Unavailable(reason);
    }
  }

  /** The server has answered, however late. */
  #answered(pair: Pair): void {
    if (this.#pair !== pair) return;
    this.#answeredAt = performance.now();
    if (this.#stalledAt === undefined) return;
    this.#stalledAt = undefined;
    this.options.onBack();
  }

  #stall(pair: Pair, timeout: number): void {
    // If other queries are answered, the server is only busy.
    const now = performance.now();
    if (this.#pair !== pair || this.#stalledAt !== undefined || now - this.#answeredAt < timeout) return;
    this.#stalledAt = now;
    this.options.onAway(`no answer within ${timeout} ms`);
  }
}

function within<T>(promise: Promise<T>, limit: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    // If this process was busy for longer than the limit, setImmediate lets it read an answer that has arrived.
    const timer = setTimeout(() => setImmediate(() => !isSettled && reject(late())), limit);
    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
    };
    promise.finally(settle).then(resolve, reject);
  });
}

/** The SQLSTATE of an error from the server; undefined for any other error, such as `EPIPE`. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'severity' in cause && 'code' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

interface PendingQuery {
  readonly answer: Promise<Answer>;
  /** Cancel the query if it is still in the queue. */
  giveUp(): void;
}

interface Waiting {
  readonly query: Query;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
  isGivenUp: boolean;
}

/** Sends one query at a time to a client, in order: from version 9 on, pg has no queue of its own. */
class QueryQueue {
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(private readonly client: PostgresClient) {}

  ask(query: Query): PendingQuery {
    let giveUp = (): void => {};
    const answer = new Promise<Answer>((resolve, reject) => {
      const one: Waiting = { query, resolve, reject, isGivenUp: false };
      giveUp = () => {
        one.isGivenUp = true;
      };
      this.#waiting.push(one);
    });
    if (!this.#isAsking) void this.#askAll();
    return { answer, giveUp };
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { query, resolve, reject } = next;
      if (next.isGivenUp) reject(new Error('the query was canceled'));
      else await this.client.query(query).then(resolve, reject);
    }
    this.#isAsking = false;
  }
}

interface PairOptions {
  /** Called with the query client before its first query. */
  readonly prepare: (queryClient: PostgresClient) => Promise<unknown>;
  /** The channel as a quoted identifier. */
  readonly channel: string;
  readonly receive: (notification: string) => void;
  /** Called when one of the connections has ended; the other one is closed as well. */
  readonly onEnd: (reason: string) => void;
}

class Pair {
  readonly #queries: PostgresClient;
  readonly #listener: PostgresClient;
  readonly queue: QueryQueue;
  /** Why the pair has ended. */
  #ended: string | undefined;

  /** Throws the error of creating a client. */
  constructor(
    clients: Clients,
    private readonly options: PairOptions,
  ) {
    this.#queries = clients.make();
    this.#listener = clients.make();
    this.queue = new QueryQueue(this.#queries);
    for (const client of [this.#queries, this.#listener]) {
      client.on('error', (cause) => this.#end(messageOf(cause)));
      client.on('end', () => this.#end('the connection ended'));
    }
    this.#listener.on('notification', ({ payload }) => options.receive(payload ?? ''));
  }

  /** Connect. Rejects with the reason and destroys the pair if that fails or takes longer than `limit` milliseconds. */
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
    const { prepare, channel } = this.options;
    await Promise.all([this.#queries, this.#listener].map(connect));
    await prepare(this.#queries);
    await this.#listener.query({ text: `LISTEN ${channel}` });
  }

  async close(limit: number): Promise<void> {
    const ended = Promise.allSettled([this.#queries.end(), this.#listener.end()]);
    await within(ended, limit, () => new Error('late')).catch(() => this.destroy());
  }

  destroy(): void {
    this.#ended ??= 'closed';
    for (const client of [this.#queries, this.#listener]) destroy(client);
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.options.onEnd(reason);
  }
}
