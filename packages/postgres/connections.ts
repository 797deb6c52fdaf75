import type { EngineSettings } from 'fwkit/peers';
import { messageOf, Unavailable } from 'fwkit/plugin';
import { type Answer, Clients, connect, destroy, type PostgresClient, type Query } from './client.js';

/** How long to wait before the next try to connect, in milliseconds: at first, and at most. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [100, 2_000];
/** Mistakes in what was asked, such as a number that is none: waiting does not fix them (class 22 of SQLSTATE). */
const MISTAKE = /^22/;
/** The server takes no writes: another has taken its place, or is about to. */
const READ_ONLY = '25006';

export interface ConnectionsOptions extends Omit<PairOptions, 'onEnd'> {
  readonly makeClient: () => PostgresClient;
  readonly settings: () => EngineSettings;
  readonly onAway: (reason: string) => void;
  readonly onBack: () => void;
}

/** PostgreSQL, as one process sees it: there, or away. Connections that end are replaced. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #clients: Clients;
  #pair: Pair | undefined;
  /** Being connected. */
  #next: Pair | undefined;
  #isClosed = false;
  /** By `performance.now()`: when something was answered and heard last, since when an answer is overdue, when `watch` was called. */
  #answeredAt = 0;
  #heardAt = 0;
  #stalledAt: number | undefined;
  #watchedAt = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#clients = new Clients(options.makeClient);
  }

  get isThere(): boolean {
    return this.#pair !== undefined && this.#stalledAt === undefined;
  }

  /** Rejects with what keeps it from connecting, after `bootLimit` at the latest; nothing is left open then. */
  async open(): Promise<void> {
    await this.#connect(this.#options.settings().bootLimit);
  }

  /** Rejects with Unavailable: within `timeout`, and at once while PostgreSQL is away. */
  ask(query: Query): Promise<Answer> {
    const pair = this.#pair;
    if (!pair || this.#stalledAt !== undefined) return Promise.reject(new Unavailable('postgres is away'));
    const { timeout } = this.#options.settings();
    const { answer, giveUp } = pair.queue.ask(query);
    return within(this.#heeded(pair, answer), timeout, () => {
      giveUp();
      this.#stall(pair, timeout);
      return new Unavailable(`postgres did not answer within ${timeout} ms`);
    });
  }

  /** The same without a limit of time: waits for a connection that stands still until it is given up. */
  run(query: Query): Promise<Answer> {
    const pair = this.#pair;
    if (!pair) return Promise.reject(new Unavailable('postgres is away'));
    return this.#heeded(pair, pair.queue.ask(query).answer);
  }

  /** To be called each `timeout`: whether it still answers, and still tells what others send. */
  watch(): void {
    const pair = this.#pair;
    const { timeout, giveUp, heartbeat } = this.#options.settings();
    const now = performance.now();
    // What came while this process stood still has not been read yet.
    const stoodStill = now - this.#watchedAt > 2 * timeout;
    this.#watchedAt = now;
    if (!pair || stoodStill) return;
    if (this.#stalledAt !== undefined) {
      if (now - this.#stalledAt > giveUp) this.#lose(pair, `no answer within ${giveUp} ms`);
    } else if (now - this.#heardAt > heartbeat + giveUp) {
      // The own heartbeat is among what is heard.
      this.#lose(pair, `nothing was heard for ${heartbeat + giveUp} ms`);
    } else if (now - this.#answeredAt > timeout) this.ask({ text: 'SELECT 1' }).catch(() => {});
  }

  /** End the connections. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pair = this.#pair;
    this.#pair = undefined;
    this.#next?.destroy();
    await pair?.close(this.#options.settings().timeout);
  }

  async #connect(limit: number): Promise<void> {
    const { prepare, channel, receive, onBack } = this.#options;
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
    this.#options.onAway(reason);
    pair.destroy();
    void this.#again();
  }

  async #again(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#isClosed; pause = Math.min(2 * pause, MAX_PAUSE_MS))
      try {
        return await this.#connect(this.#options.settings().giveUp);
      } catch {
        // Machines that have lost it at one time do not come back all at once.
        await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())).unref());
      }
  }

  /** The answer, of which is seen what it says about the connection. Rejects with Unavailable, but for mistakes. */
  async #heeded(pair: Pair, answer: Promise<Answer>): Promise<Answer> {
    try {
      const given = await answer;
      this.#heed(pair);
      return given;
    } catch (cause) {
      const code = codeOf(cause);
      if (code !== undefined) this.#heed(pair);
      if (code === READ_ONLY) this.#lose(pair, reasonOf(cause));
      // Not with its cause, which has the values that were sent.
      const reason = `postgres: ${reasonOf(cause)}`;
      throw code !== undefined && MISTAKE.test(code) ? new Error(reason) : new Unavailable(reason);
    }
  }

  /** It has answered, however late. */
  #heed(pair: Pair): void {
    if (this.#pair !== pair) return;
    this.#answeredAt = performance.now();
    if (this.#stalledAt === undefined) return;
    this.#stalledAt = undefined;
    this.#options.onBack();
  }

  #stall(pair: Pair, timeout: number): void {
    // Where others are answered meanwhile, there is only too much to do.
    const now = performance.now();
    if (this.#pair !== pair || this.#stalledAt !== undefined || now - this.#answeredAt < timeout) return;
    this.#stalledAt = now;
    this.#options.onAway(`no answer within ${timeout} ms`);
  }
}

/** As `promise`, or rejected with what `late` gives when that takes longer than `limit` milliseconds. */
function within<T>(promise: Promise<T>, limit: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    // An answer may have come while this process did something else for longer than that: it is read first.
    const timer = setTimeout(() => setImmediate(() => !isSettled && reject(late())), limit);
    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
    };
    promise.finally(settle).then(resolve, reject);
  });
}

/** What has happened, in a few words: an error of a name with several addresses tells it of each. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return messageOf(cause);
}

/** The SQLSTATE of an error that the server has answered; undefined of any other, `EPIPE` among them. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'severity' in cause && 'code' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

interface Asked {
  readonly answer: Promise<Answer>;
  /** Nobody waits for the answer: if it is not its turn yet, it is not asked. */
  giveUp(): void;
}

interface Waiting {
  readonly query: Query;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
  isGivenUp: boolean;
}

/** Asks a client one query at a time, in their order: from version 9 on, pg has no queue of its own. */
class QueryQueue {
  readonly #client: PostgresClient;
  readonly #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  ask(query: Query): Asked {
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
      if (next.isGivenUp) reject(new Error('nobody waits for it any more'));
      else await this.#client.query(query).then(resolve, reject);
    }
    this.#isAsking = false;
  }
}

interface PairOptions {
  /** Called with the client that asks, before it is used for anything else. */
  readonly prepare: (asks: PostgresClient) => Promise<unknown>;
  /** As a statement has it. */
  readonly channel: string;
  readonly receive: (notification: string) => void;
  /** One of the connections has ended, which ends the other. */
  readonly onEnd: (reason: string) => void;
}

/** Two connections: one asks, the other one listens. */
class Pair {
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
