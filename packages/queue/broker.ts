import type {
  BackendFactory,
  IQueueBackend,
  IRedisClient,
  Job,
  JobsOptions,
  Queue,
  Worker,
  WorkerOptions,
} from 'bullmq';
import type { Logger } from 'fwkit';
import { messageOf, settledWithin } from 'fwkit/plugin';
import {
  Availability,
  adoptClient,
  type BullMQ,
  connected,
  guardedBackend,
  Silence,
  unreachable,
} from './connection.js';
import type { NewJob } from './producers.js';

export type TakenJob = Job<unknown, void>;
/** A consumer of BullMQ. */
export type QueueWorker = Worker<unknown, void, string, IQueueBackend>;
type AnyQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;

/** How long the start waits for the broker, in milliseconds: it may be started at the same time. */
const BOOT_LIMIT_MS = 5_000;
/** Bytes of jobs that may wait for an answer: a broker that stands still must not fill the memory. */
const MAX_UNANSWERED_BYTES = 16 * 1024 * 1024;
/** The broker of one process, over BullMQ. */
export class Broker {
  readonly #bull: BullMQ;
  readonly #backend: BackendFactory;
  /** What BullMQ takes as `connection`: the client; of another backend, whatever was given. */
  readonly #connection: IRedisClient;
  readonly #isRedis: boolean;
  readonly #app: string;
  readonly #availability: Availability;
  readonly #queues = new Map<string, AnyQueue>();
  readonly #pending = new Set<Promise<unknown>>();
  #unansweredBytes = 0;
  #giveUp: number;
  #silence: Silence | undefined;
  /** Called when another connection has taken the place of one that was silent. */
  onRenewed: () => void = () => {};

  private constructor(bull: BullMQ, connection: unknown, settings: BrokerSettings, logger: Logger) {
    const { backend, app, giveUp } = settings;
    this.#isRedis = backend === undefined;
    this.#bull = bull;
    this.#backend = backend ? guardedBackend(backend as BackendFactory) : bull.getDefaultBackendFactory();
    this.#connection = connection as IRedisClient;
    this.#app = app;
    this.#giveUp = giveUp;
    this.#availability = new Availability(logger);
  }

  /** Connect. Throws a BootError where that cannot be done. `names`: of queues. */
  static async open(settings: BrokerSettings, names: readonly string[], logger: Logger): Promise<Broker> {
    const bull = await import('bullmq');
    const made = await settings.connection();
    if (settings.backend !== undefined) {
      const broker = new Broker(bull, made, settings, logger);
      await broker.#ready(names);
      return broker;
    }
    const client = adoptClient(bull, made);
    await connected(client, BOOT_LIMIT_MS);
    const broker = new Broker(bull, client, settings, logger);
    client.on('error', (cause) => broker.#availability.lost(cause));
    client.on('ready', () => broker.#availability.back());
    await broker.#ready(names);
    broker.#silence = new Silence({
      client,
      key: `${broker.#base.prefix}:silence`,
      giveUp: () => broker.#giveUp,
      onSilence: (why) => broker.#availability.lost(why),
      onRenewed: () => broker.onRenewed(),
    });
    return broker;
  }

  /** What holds in the version that serves from now on: where it says that it is away, and for how long it waits for a sign. */
  use(logger: Logger, giveUp: number): void {
    this.#availability.logger = logger;
    this.#giveUp = giveUp;
  }

  /** Whether it can be asked. One that did not answer is asked again when nothing waits for it. */
  get isReady(): boolean {
    return this.#isConnected && (!this.#availability.isAway || this.#pending.size === 0);
  }

  get #isConnected(): boolean {
    return !this.#isRedis || this.#connection.status === 'ready';
  }

  /** Add a job. Resolves with its id; rejects with `Unavailable`, after `limit` milliseconds at the latest. */
  add(job: NewJob, limit: number): Promise<string> {
    const added = this.#add(job, limit);
    // Whoever does not wait for it must not end with a broker that is away: that is in the log.
    added.catch(() => {});
    return added;
  }

  async #add(job: NewJob, limit: number): Promise<string> {
    const { queue, data, text } = job;
    const refuse = (why: string, cause?: unknown) => this.#availability.refuse(queue, why, cause);
    if (!this.isReady) throw refuse('the broker is away');
    const bytes = Buffer.byteLength(text);
    if (this.#unansweredBytes + bytes > MAX_UNANSWERED_BYTES)
      throw refuse('too many wait for an answer of the broker');
    const answer = this.#queueOf(queue).add(queue, data, bullOptions(job));
    this.#unansweredBytes += bytes;
    this.#pending.add(answer);
    const over = () => {
      this.#unansweredBytes -= bytes;
      this.#pending.delete(answer);
    };
    answer.then(() => {
      over();
      if (this.#isConnected) this.#availability.back();
    }, over);
    if (!(await settledWithin(answer, limit))) {
      const why = `no answer within ${limit} ms`;
      this.#availability.lost(why);
      throw refuse(`${why}: it may have been added or not`);
    }
    try {
      return shownId((await answer).id ?? '');
    } catch (cause) {
      throw refuse(messageOf(cause), cause);
    }
  }

  /** A consumer of a queue, which begins at once. */
  consume(
    queue: string,
    run: (job: TakenJob, token: string) => Promise<void>,
    options: ConsumeOptions,
  ): QueueWorker {
    const settings = { ...this.#base, ...workerOptions(options) };
    const { Worker } = this.#bull;
    return new Worker<unknown, void, string, IQueueBackend>(
      this.#nameOf(queue),
      (job: TakenJob, token = '') => run(job, token),
      settings,
      this.#backend,
    );
  }

  /** Have another process do a job that this one has got, as if it had not begun. Throws what tells BullMQ so. */
  async giveBack(job: TakenJob, token: string): Promise<never> {
    // Where that fails, it is given to another when its lease is over.
    await job.moveToWait(token).catch(() => {});
    throw new this.#bull.WaitingError();
  }

  /** End, when the jobs have gone that are on their way, or after `limit` milliseconds. */
  async close(limit: number): Promise<void> {
    this.#silence?.end();
    await settledWithin(Promise.allSettled(this.#pending), limit);
    const closed = Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()));
    await settledWithin(closed, limit);
    if (this.#isRedis) this.#connection.disconnect();
  }

  get #base() {
    return { connection: this.#connection, prefix: `fwk:${this.#app}:queue` };
  }

  #nameOf(queue: string): string {
    return this.#isRedis ? queue : `${this.#app.replaceAll(':', '.')}/${queue}`;
  }

  #queueOf(name: string): AnyQueue {
    const known = this.#queues.get(name);
    if (known) return known;
    const queue = new this.#bull.Queue<unknown, void, string, unknown, void, string, IQueueBackend>(
      this.#nameOf(name),
      this.#base,
      this.#backend,
    );
    // The client itself says that it is away.
    queue.on('error', (cause) => {
      if (!this.#isRedis) this.#availability.lost(cause);
    });
    this.#queues.set(name, queue);
    return queue;
  }

  async #ready(names: readonly string[]): Promise<void> {
    const ready = Promise.all(names.map((name) => this.#queueOf(name).waitUntilReady()));
    const isReady = await settledWithin(ready, BOOT_LIMIT_MS);
    try {
      if (isReady) return void (await ready);
    } catch (cause) {
      await this.close(0);
      throw unreachable(cause);
    }
    await this.close(0);
    throw unreachable(`no answer within ${BOOT_LIMIT_MS} ms`);
  }
}

interface BrokerSettings {
  /** Makes what connects to the broker. */
  readonly connection: () => unknown;
  /** Another than Redis: `createPostgresBackend` of BullMQ. */
  readonly backend: unknown;
  /** The name of the app: apps that share a broker must not take each other's jobs. */
  readonly app: string;
  /** Milliseconds for which a connection may give no sign. */
  readonly giveUp: number;
}

/** What BullMQ refuses in an id, or takes for its own: whole numbers, colons. `#` marks those that are written in another way. */
const NEEDS_ESCAPE = /^-?\d+$|^#|:/;

/** The id by which BullMQ knows a job that `add` was given `id` for. Its own are whole numbers. */
const storedId = (id: string): string =>
  NEEDS_ESCAPE.test(id) ? `#${id.replaceAll('%', '%25').replaceAll(':', '%3A')}` : id;

/** The id of a job as people know it. */
export const shownId = (stored: string): string =>
  stored.startsWith('#') ? stored.slice(1).replaceAll('%3A', ':').replaceAll('%25', '%') : stored;

interface ConsumeOptions {
  readonly concurrency: number;
  /** Milliseconds. */
  readonly lease: number;
  readonly crashes: number;
}

/** How many jobs that are done are remembered, and for how many seconds: so long an id is not added again. */
const KEPT_DONE = { age: 3_600, count: 1_000 };
/** Seconds for which jobs are remembered that have failed. */
const KEPT_FAILED = { age: 14 * 86_400 };
/** Stacks that are kept of one job. */
const MAX_STACKS = 10;
/** Milliseconds after which BullMQ says again that a job is done, where the broker did not hear it. */
const RETRY_MS = 1_000;
/** Seconds for which a consumer asks for a job at a time, where there is none. */
const POLL_SECONDS = 2;

const bullOptions = ({ id, delay, priority, attempts, backoff }: NewJob): JobsOptions => ({
  ...(id === undefined ? {} : { jobId: storedId(id) }),
  ...(priority === undefined ? {} : { priority }),
  delay,
  attempts,
  backoff,
  removeOnComplete: KEPT_DONE,
  removeOnFail: KEPT_FAILED,
  stackTraceLimit: MAX_STACKS,
});

const workerOptions = ({
  concurrency,
  lease,
  crashes,
}: ConsumeOptions): Omit<WorkerOptions, 'connection'> => ({
  concurrency,
  lockDuration: lease,
  stalledInterval: lease / 2,
  maxStalledCount: crashes,
  drainDelay: POLL_SECONDS,
  runRetryDelay: RETRY_MS,
});
