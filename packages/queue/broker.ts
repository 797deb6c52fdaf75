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
import { messageOf, settledWithin, Unavailable } from 'fwkit/plugin';
import {
  Availability,
  adoptClient,
  type BullMQ,
  connected,
  guardedBackend,
  Silence,
  unreachable,
} from './connection.js';
import { MAX_JOB_BYTES, type NewJob, type Outcome } from './producers.js';
import type { Progress, StoredJob } from './queue.js';

export type TakenJob = Job<unknown, unknown>;
export type QueueWorker = Worker<unknown, unknown, string, IQueueBackend>;
type AnyQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend>;

/** How long startup waits for the broker, in milliseconds, because both may start at the same time. */
const BOOT_LIMIT_MS = 5_000;
export class Broker {
  readonly #backend: BackendFactory;
  /** BullMQ's option `connection`: the client, or with another backend the value that the app returned. */
  readonly #connection: IRedisClient;
  readonly #isRedis: boolean;
  readonly #app: string;
  readonly #availability: Availability;
  readonly #queues = new Map<string, AnyQueue>();
  readonly #pending = new Set<Promise<unknown>>();
  #unansweredBytes = 0;
  #giveUp: number;
  #silence: Silence | undefined;
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
    this.#app = app;
    this.#giveUp = giveUp;
    this.#availability = new Availability(logger);
  }

  /** Connect. Throws BootError if that fails. `names` are the names of the queues. */
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

  /** Use the logger and the `giveUp` setting of the version that serves from now on. */
  use(logger: Logger, giveUp: number): void {
    this.#availability.logger = logger;
    this.#giveUp = giveUp;
  }

  /** Connect again if `cause` is the error of a replica. */
  leaveReplica(cause: unknown): void {
    this.#silence?.leaveReplica(cause);
  }

  /** Whether commands can be sent. A broker that did not answer gets another command when none is pending. */
  get isReady(): boolean {
    return this.#isConnected && (!this.#availability.isAway || this.#pending.size === 0);
  }

  get #isConnected(): boolean {
    return !this.#isRedis || this.#connection.status === 'ready';
  }

  /** Add a job. Resolves with its id; rejects with `Unavailable`, after `limit` milliseconds at the latest. */
  add(job: NewJob, limit: number): Promise<string> {
    const added = this.#add(job, limit);
    // If the caller ignores the promise, an unavailable broker must not crash the process. The outage is logged.
    added.catch(() => {});
    return added;
  }

  async #add(job: NewJob, limit: number): Promise<string> {
    const { queue, data, bytes } = job;
    const refuse = (why: string, cause?: unknown) => this.#availability.refuse(queue, why, cause);
    if (!this.isReady) throw refuse('the broker is unavailable');
    // A broker that does not answer must not exhaust the memory.
    if (this.#unansweredBytes + bytes > MAX_JOB_BYTES)
      throw refuse('too many jobs wait for an answer of the broker');
    const answer = this.#queueOf(queue).add(queue, data, bullOptions(job));
    this.#unansweredBytes += bytes;
    this.#pending.add(answer);
    const settle = () => {
      this.#unansweredBytes -= bytes;
      this.#pending.delete(answer);
    };
    answer.then(() => {
      settle();
      if (this.#isConnected) this.#availability.back();
    }, settle);
    if (!(await settledWithin(answer, limit))) {
      const why = `no answer within ${limit} ms`;
      this.#availability.lost(why);
      throw refuse(`${why}. The broker may still have added it`);
    }
    try {
      return shownId((await answer).id ?? '');
    } catch (cause) {
      this.leaveReplica(cause);
      throw refuse(messageOf(cause), cause);
    }
  }

  consume(
    queue: string,
    run: (job: TakenJob, token: string) => Promise<unknown>,
    options: ConsumeOptions,
  ): QueueWorker {
    const settings = { ...this.#base, ...workerOptions(options) };
    const { Worker } = this.bull;
    return new Worker<unknown, unknown, string, IQueueBackend>(
      this.#nameOf(queue),
      (job: TakenJob, token = '') => run(job, token),
      settings,
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

  async getJob(queue: string, id: string, limit: number): Promise<StoredJob | undefined> {
    const job = await this.#ask(queue, limit, (bull) => bull.getJob(storedId(id)));
    if (!job) return undefined;
    const state = stateOf(await this.#ask(queue, limit, () => job.getState()));
    if (state === undefined) return undefined;
    const { data, attemptsMade, timestamp, progress, returnvalue, failedReason } = job;
    return {
      id,
      state,
      data,
      attemptsMade,
      addedAt: new Date(timestamp),
      progress: typeof progress === 'object' ? (progress as Progress) : undefined,
      result: state === 'completed' ? returnvalue : undefined,
      failedReason,
    };
  }

  /** The number of jobs of each queue by state, and how long the next one has waited, in milliseconds. */
  counts(limit: number): Promise<QueueCounts[]> {
    const names = [...this.#queues.keys()].filter((name) => name !== NAMES);
    return Promise.all(names.map((queue) => this.#ask(queue, limit, (bull) => countsOf(queue, bull))));
  }

  /** Remember the names of the queues. Resolves with the other queues that have unfinished jobs. */
  async abandoned(names: readonly string[], limit: number): Promise<QueueCounts[]> {
    const known = await this.#ask(NAMES, limit, async ({ backend }) => {
      await backend.setQueueMeta(Object.fromEntries(names.map((name) => [`${NAME}${name}`, 1])));
      return backend.getQueueMeta();
    });
    const all = Object.keys(known).flatMap((key) => (key.startsWith(NAME) ? [key.slice(NAME.length)] : []));
    const others = all.filter((name) => !names.includes(name));
    const counts = await Promise.all(
      others.map((queue) => this.#ask(queue, limit, (bull) => countsOf(queue, bull))),
    );
    return counts.filter(({ jobs }) => jobs.waiting + jobs.delayed > 0);
  }

  /** How a job has finished; undefined if it has not. */
  async outcome(queue: string, id: string, limit: number): Promise<Outcome | undefined> {
    const answer = await this.#ask(queue, limit, (bull) => bull.backend.isFinished(storedId(id), true));
    const [status, text] = Array.isArray(answer) ? answer : [answer, ''];
    if (status === 0) return undefined;
    if (status < 0) return { state: 'unknown' };
    return status === 1
      ? { state: 'completed', result: resultOf(text) }
      : { state: 'failed', failedReason: text };
  }

  /** Ask the broker about a queue. Rejects with `Unavailable`, after `limit` milliseconds at the latest. */
  async #ask<T>(queue: string, limit: number, ask: (bull: AnyQueue) => Promise<T>): Promise<T> {
    const refuse = (why: string, cause?: unknown) =>
      new Unavailable(`The queue "${queue}" could not be read: ${why}`, { cause });
    if (!this.isReady) throw refuse('the broker is unavailable');
    const answer = ask(this.#queueOf(queue));
    if (await settledWithin(answer, limit))
      return answer.catch((cause) => {
        throw refuse(messageOf(cause), cause);
      });
    const why = `no answer within ${limit} ms`;
    this.#availability.lost(why);
    throw refuse(why);
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
    return { connection: this.#connection, prefix: `fwk:${this.#app}:queue` };
  }

  #nameOf(queue: string): string {
    return this.#isRedis ? queue : `${this.#app.replaceAll(':', '.')}/${queue}`;
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
  readonly connection: () => unknown;
  readonly backend: unknown;
  /** The name of the app, which separates its jobs from those of other apps with the same broker. */
  readonly app: string;
  readonly giveUp: number;
}

/** Ids that BullMQ rejects (with a colon) or generates itself (integers). They are escaped, with the prefix `#`. */
const NEEDS_ESCAPE = /^-?\d+$|^#|:/;

/** The id in BullMQ for an `id` that was passed to `add`. */
const storedId = (id: string): string =>
  NEEDS_ESCAPE.test(id) ? `#${id.replaceAll('%', '%25').replaceAll(':', '%3A')}` : id;

/** The id of a job as it was passed to `add`, or as BullMQ generated it. */
export const shownId = (stored: string): string =>
  stored.startsWith('#') ? stored.slice(1).replaceAll('%3A', ':').replaceAll('%25', '%') : stored;

/** The queue of BullMQ that has no jobs. Its metadata are the names of all queues that the app has had. */
const NAMES = '.names';
/** The prefix of the names, which separates them from BullMQ's own metadata. */
const NAME = 'queue:';

export interface QueueCounts {
  readonly queue: string;
  readonly jobs: Readonly<Record<StoredJob['state'], number>>;
  readonly oldest: number;
}

async function countsOf(queue: string, bull: AnyQueue): Promise<QueueCounts> {
  const { prioritized = 0, paused = 0, ...jobs } = await bull.getJobCounts();
  const next = await bull.getJobs(['waiting', 'prioritized'], 0, 0, true);
  const since = next.flatMap((job) => (job ? [job.timestamp + (job.opts.delay ?? 0)] : []));
  const { waiting = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = jobs;
  return {
    queue,
    jobs: { waiting: waiting + prioritized + paused, active, delayed, completed, failed },
    oldest: Math.max(0, Date.now() - Math.min(Date.now(), ...since)),
  };
}

/** The state of a job, from BullMQ's. Undefined for a job that does not exist. */
export const stateOf = (state: string): StoredJob['state'] | undefined =>
  state === 'unknown'
    ? undefined
    : /^(?:active|delayed|completed|failed)$/.test(state)
      ? (state as StoredJob['state'])
      : 'waiting';

const resultOf = (text: string): unknown =>
  text === '' || text === 'undefined' ? undefined : JSON.parse(text);

interface ConsumeOptions {
  readonly concurrency: number;
  readonly lease: number;
  readonly crashes: number;
}

/** How long completed jobs are kept, in seconds, and how many. Meanwhile, a job with the same id is not added again. */
const KEPT_DONE = { age: 3_600, count: 1_000 };
/** How long failed jobs are kept, in seconds. */
const KEPT_FAILED = { age: 14 * 86_400 };
/** The maximum number of stack traces per job. */
const MAX_STACKS = 10;
/** How long BullMQ waits before it reports a completed job again, if the broker did not answer, in milliseconds. */
const RETRY_MS = 1_000;
/** How long a consumer waits for a job per request, in seconds. */
const POLL_SECONDS = 2;

const bullOptions = ({ id, delay, priority, attempts, backoff, origin }: NewJob): JobsOptions => ({
  ...(id === undefined ? {} : { jobId: storedId(id) }),
  ...(priority === undefined ? {} : { priority }),
  delay,
  attempts,
  backoff,
  removeOnComplete: KEPT_DONE,
  removeOnFail: KEPT_FAILED,
  stackTraceLimit: MAX_STACKS,
  telemetry: { metadata: JSON.stringify(origin) },
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
  autorun: false,
  drainDelay: POLL_SECONDS,
  runRetryDelay: RETRY_MS,
});
