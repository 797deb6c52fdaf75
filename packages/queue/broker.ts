import type { BackendFactory, IQueueBackend, IRedisClient, Worker } from 'bullmq';
import type { Logger } from 'fwkit';
import { Outage } from 'fwkit/peers';
import { BootError, messageOf, settledWithin, Unavailable } from 'fwkit/plugin';
import {
  type AnyQueue,
  addTo,
  countsOf,
  NAMES,
  type QueueCounts,
  rememberNames,
  shownId,
  type TakenJob,
} from './bull-queue.js';
import { adoptClient, type BullMQ, connected, guardedBackend, Silence, unreachable } from './connection.js';
import { MAX_JOB_BYTES, type NewJob } from './producers.js';
import type { QueueDefinition } from './queue.js';

export type QueueWorker = Worker<unknown, unknown, string, IQueueBackend>;

/** How long startup waits for the broker, in milliseconds, because both may start at the same time. */
const BOOT_LIMIT_MS = 5_000;
export class Broker {
  readonly #backend: BackendFactory;
  /** BullMQ's option `connection`: the client, or with another backend the value that the app returned. */
  readonly #connection: IRedisClient;
  readonly #isRedis: boolean;
  #logger: Logger;
  /** The number of calls of `add` that were refused during the current outage. */
  #refused = 0;
  readonly #outage = new Outage({
    what: 'queues: the broker',
    meanwhile: 'its jobs run when it is available again',
    logger: () => this.#logger,
  });
  readonly #queues = new Map<string, AnyQueue>();
  readonly #pending = new Set<Promise<unknown>>();
  #unansweredBytes = 0;
  #giveUp: number;
  #silence: Silence | undefined;
  /** The name of the app. */
  readonly app: string;
  onRenewed: () => void = () => {};

  private constructor(
    private readonly bull: BullMQ,
    connection: unknown,
    settings: BrokerSettings,
    logger: Logger,
  ) {
    const { backend, app, giveUp } = settings;
    this.#isRedis = backend === undefined;
    this.#backend = backend ? guardedBackend(backend as BackendFactory) : bull.getDefaultBackendFactory();
    this.#connection = connection as IRedisClient;
    this.app = app;
    this.#giveUp = giveUp;
    this.#logger = logger;
  }

  /** Connect. Throws BootError if that fails. `names` are the names of the queues. */
  static async open(settings: BrokerSettings, names: readonly string[], logger: Logger): Promise<Broker> {
    const bull = await import('bullmq');
    const made = await settings.connection();
    const client = settings.backend === undefined ? adoptClient(bull, made) : undefined;
    if (client) await connected(client, BOOT_LIMIT_MS);
    const broker = new Broker(bull, client ?? made, settings, logger);
    client?.on('error', (cause) => broker.#outage.begin(messageOf(cause)));
    client?.on('ready', () => broker.#back());
    await broker.#ready(names);
    if (client)
      broker.#silence = new Silence({
        client,
        key: `${broker.#base.prefix}:silence`,
        giveUp: () => broker.#giveUp,
        onSilence: (why) => broker.#outage.begin(why),
        onRenewed: () => broker.onRenewed(),
      });
    return broker;
  }

  /** Use the logger and the `giveUp` setting of the version that serves from now on. */
  use(logger: Logger, giveUp: number): void {
    this.#logger = logger;
    this.#giveUp = giveUp;
  }

  /** Connect again if `cause` is the error of a replica. */
  leaveReplica(cause: unknown): void {
    this.#silence?.leaveReplica(cause);
  }

  /** Whether commands can be sent. A broker that did not answer gets another command when none is pending. */
  get isReady(): boolean {
    return this.#isConnected && (this.#outage.reason === undefined || this.#pending.size === 0);
  }

  get #isConnected(): boolean {
    return !this.#isRedis || this.#connection.status === 'ready';
  }

  #back(): void {
    this.#outage.end(() => {
      const refused = this.#refused;
      this.#refused = 0;
      return refused === 0 ? '' : `${refused === 1 ? '1 job' : `${refused} jobs`} could not be added.`;
    });
  }

  /** Add jobs to one queue, all or none. Resolves with their ids; rejects with `Unavailable`, after `limit` milliseconds at the latest. */
  async add(jobs: readonly NewJob[], limit: number): Promise<string[]> {
    const [first] = jobs;
    if (!first) return [];
    const bytes = jobs.reduce((total, job) => total + job.bytes, 0);
    try {
      const added = await this.#ask(first.queue, limit, (bull) => addTo(bull, jobs), bytes);
      return added.map(({ id = '' }) => shownId(id));
    } catch (cause) {
      this.leaveReplica(cause);
      this.#refused += 1;
      throw new Unavailable(`A job for the queue "${first.queue}" could not be added: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  /** Ask the broker about a queue. Rejects with `Unavailable`, after `limit` milliseconds at the latest. */
  ask<T>(queue: string, limit: number, ask: (bull: AnyQueue) => Promise<T>): Promise<T> {
    return this.#ask(queue, limit, ask).catch((cause) => {
      if (cause instanceof BootError) throw cause;
      throw new Unavailable(`The queue "${queue}" could not be read: ${messageOf(cause)}`, { cause });
    });
  }

  /** `bytes` is the size of the data that `ask` sends. */
  async #ask<T>(queue: string, limit: number, ask: (bull: AnyQueue) => Promise<T>, bytes = 0): Promise<T> {
    if (!this.isReady) throw new Error('the broker is unavailable');
    // A broker that does not answer must not exhaust the memory.
    if (this.#unansweredBytes + bytes > MAX_JOB_BYTES)
      throw new Error('too many jobs wait for an answer of the broker');
    const answer = ask(this.#queueOf(queue));
    this.#unansweredBytes += bytes;
    this.#pending.add(answer);
    const settle = () => {
      this.#unansweredBytes -= bytes;
      this.#pending.delete(answer);
    };
    answer.then(() => {
      settle();
      if (this.#isConnected) this.#back();
    }, settle);
    if (await settledWithin(answer, limit)) return answer;
    const why = `no answer within ${limit} ms`;
    this.#outage.begin(why);
    throw new Error(`${why}. The broker may still execute the command`);
  }

  /** Set the limits of a queue for all processes. The process that starts last decides. */
  async limit(queue: string, { globalConcurrency, limiter }: QueueDefinition['options']): Promise<void> {
    const bull = this.#queueOf(queue);
    await Promise.all([
      globalConcurrency ? bull.setGlobalConcurrency(globalConcurrency) : bull.removeGlobalConcurrency(),
      limiter ? bull.setGlobalRateLimit(limiter.max, limiter.duration) : bull.removeGlobalRateLimit(),
    ]);
  }

  consume(
    queue: string,
    run: (job: TakenJob, token: string) => Promise<unknown>,
    { concurrency, crashes }: QueueDefinition['options'],
    lease: number,
  ): QueueWorker {
    const { Worker } = this.bull;
    return new Worker<unknown, unknown, string, IQueueBackend>(
      this.#nameOf(queue),
      (job: TakenJob, token = '') => run(job, token),
      {
        ...this.#base,
        concurrency,
        lockDuration: lease,
        stalledInterval: lease / 2,
        maxStalledCount: crashes,
        autorun: false,
        drainDelay: POLL_SECONDS,
        runRetryDelay: RETRY_MS,
      },
      this.#backend,
    );
  }

  /** Return a job to the queue without counting an attempt. Throws BullMQ's WaitingError, which stops its processing here. */
  async giveBack(job: TakenJob, token: string): Promise<never> {
    // If that fails, another process gets the job when its lease expires.
    await job.moveToWait(token).catch(() => {});
    throw new this.bull.WaitingError();
  }

  /** Run a job again after `ms` milliseconds, without counting an attempt. Throws BullMQ's DelayedError. */
  async delay(job: TakenJob, token: string, ms: number): Promise<never> {
    await job.moveToDelayed(Date.now() + ms, token).catch(() => {});
    throw new this.bull.DelayedError();
  }

  /** The number of jobs of each queue by state, and how long the next one has waited, in milliseconds. */
  counts(limit: number): Promise<(QueueCounts & { readonly queue: string })[]> {
    const names = [...this.#queues.keys()].filter((name) => name !== NAMES);
    const counts = async (queue: string) => ({ queue, ...(await this.ask(queue, limit, countsOf)) });
    return Promise.all(names.map(counts));
  }

  /** Remember the names of the queues. Resolves with all queues that the app has had. */
  names(names: readonly string[], limit: number): Promise<string[]> {
    return this.ask(NAMES, limit, (bull) => rememberNames(bull, names));
  }

  /** Close after pending jobs have been added, or after `limit` milliseconds. */
  async close(limit: number): Promise<void> {
    this.#silence?.end();
    await settledWithin(Promise.allSettled(this.#pending), limit);
    const closed = Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()));
    await settledWithin(closed, limit);
    if (this.#isRedis) this.#connection.disconnect();
  }

  get #base() {
    return { connection: this.#connection, prefix: `fwk:${this.app}:queue` };
  }

  #nameOf(queue: string): string {
    return this.#isRedis ? queue : `${this.app.replaceAll(':', '.')}/${queue}`;
  }

  #queueOf(name: string): AnyQueue {
    const known = this.#queues.get(name);
    if (known) return known;
    const queue = new this.bull.Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend>(
      this.#nameOf(name),
      this.#base,
      this.#backend,
    );
    // With Redis, the events of the client report an outage.
    queue.on('error', (cause) => {
      if (!this.#isRedis) this.#outage.begin(messageOf(cause));
    });
    this.#queues.set(name, queue);
    return queue;
  }

  async #ready(names: readonly string[]): Promise<void> {
    const ready = Promise.all(names.map((name) => this.#queueOf(name).waitUntilReady()));
    try {
      if (!(await settledWithin(ready, BOOT_LIMIT_MS)))
        throw new Error(`no answer within ${BOOT_LIMIT_MS} ms`);
      await ready;
    } catch (cause) {
      await this.close(0);
      throw unreachable(cause);
    }
  }
}

interface BrokerSettings {
  readonly connection: () => unknown;
  readonly backend: unknown;
  /** The name of the app, which separates its jobs from those of other apps with the same broker. */
  readonly app: string;
  readonly giveUp: number;
}

/** How long BullMQ waits before it reports a completed job again, if the broker did not answer, in milliseconds. */
const RETRY_MS = 1_000;
/** How long a consumer waits for a job per request, in seconds. */
const POLL_SECONDS = 2;
