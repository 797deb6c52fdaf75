import type { Logger } from 'fwkit';
import { Deferred, logSafely, messageOf, type Runtime, settledWithin } from 'fwkit/plugin';
import { type Broker, type QueueWorker, shownId, type TakenJob } from './broker.js';
import type { Handler } from './job-run.js';

/** What a version says of all its queues. */
export interface VersionSettings {
  readonly lease: number;
  readonly drainLimit: number;
  readonly logger: Logger;
}

interface Consumer {
  readonly worker: QueueWorker;
  readonly key: string;
  readonly lease: number;
  readonly leases: Map<string, Lease>;
  /** Undefined when no more is to be begun. */
  handler: Handler | undefined;
}

interface Running {
  readonly handler: Handler;
  readonly lease: Lease;
  readonly done: Promise<void>;
}

/** Milliseconds in which jobs can heed their signal when the process ends. */
const HEED_MS = 500;
/** Milliseconds in which the broker has to be told what was done, when all is. */
const CLOSE_LIMIT_MS = 2_000;

export class Consumers {
  readonly #broker: Broker;
  readonly #runtime: Runtime;
  readonly #consumers = new Map<string, Consumer>();
  readonly #running = new Set<Running>();
  readonly #closing = new Set<Promise<void>>();
  /** The handlers of the version that serves. */
  #handlers: ReadonlyMap<string, Handler> | undefined;
  #settings: VersionSettings | undefined;
  /** Resolves when what has begun is done, or cut off, after the process was asked to end. */
  readonly #drained = new Deferred();
  #isEnding = false;

  constructor(broker: Broker, runtime: Runtime) {
    this.#broker = broker;
    this.#runtime = runtime;
    broker.onRenewed = () => this.#renew();
  }

  /** From now on, jobs go to these handlers, by queue. What has begun ends with those before. */
  use(handlers: ReadonlyMap<string, Handler>, settings: VersionSettings): void {
    if (this.#isEnding) return;
    this.#handlers = handlers;
    this.#settings = settings;
    for (const [name, { key }] of this.#consumers) {
      const handler = handlers.get(name);
      if (!handler || keyOf(handler, settings) !== key) this.#end(name);
    }
    for (const [name, handler] of handlers) {
      const known = this.#consumers.get(name);
      if (!known) {
        this.#begin(name, handler, settings);
        continue;
      }
      known.handler = handler;
      known.worker.concurrency = handler.options.concurrency;
    }
  }

  /** The version of these handlers ends. Resolves when its jobs are done, or cut off. */
  async leave(handlers: ReadonlyMap<string, Handler>): Promise<void> {
    if (this.#handlers === handlers) this.#endAll();
    const own = new Set(handlers.values());
    const running = [...this.#running].filter(({ handler }) => own.has(handler));
    await Promise.race([Promise.allSettled(running.map(({ done }) => done)), this.#drained.promise]);
  }

  /** The process is to end: begin nothing more, and cut off what is not done in time. */
  stop(): void {
    this.#isEnding = true;
    this.#endAll();
    this.#drained.resolve(this.#drain());
  }

  /** End, when the broker has been told what was done. */
  async close(): Promise<void> {
    await this.#drained.promise;
    await settledWithin(Promise.all(this.#closing), CLOSE_LIMIT_MS);
  }

  async #drain(): Promise<void> {
    if (!this.#settings) return;
    const { drainLimit, lease, logger } = this.#settings;
    const done = () => Promise.allSettled([...this.#running].map((one) => one.done));
    if (await settledWithin(done(), drainLimit)) return;
    this.#runtime.cutOff = true;
    const message = `${this.#running.size} jobs did not end within ${drainLimit} ms (queues.drainLimit). Other processes do them again, at the latest when their leases have ended (${lease} ms).`;
    logSafely(logger, 'warn', message);
    for (const one of this.#running) one.lease.cut();
    await settledWithin(done(), HEED_MS);
  }

  #begin(name: string, handler: Handler, settings: VersionSettings): void {
    const { lease } = settings;
    const { concurrency, crashes } = handler.options;
    const leases = new Map<string, Lease>();
    const options = { concurrency, crashes, lease };
    const worker = this.#broker.consume(name, (job, token) => this.#do(consumer, job, token), options);
    const consumer: Consumer = { worker, key: keyOf(handler, settings), lease, leases, handler };
    const extend = worker.extendJobLocks.bind(worker);
    worker.extendJobLocks = async (ids, tokens, duration) => {
      const askedAt = performance.now();
      const lost = await extend(ids, tokens, duration);
      for (const id of lost) leases.get(id)?.lose();
      for (const id of ids) leases.get(id)?.renew(askedAt);
      return lost;
    };
    const { file, logger } = handler;
    watchWorker(worker, { name, file, lease, broker: this.#broker, logger });
    this.#consumers.set(name, consumer);
  }

  #end(name: string): void {
    const consumer = this.#consumers.get(name);
    if (!consumer) return;
    this.#consumers.delete(name);
    consumer.handler = undefined;
    const closed = consumer.worker
      .close()
      .catch(() => {})
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Have others do what comes: connections of their own, and what they have asked over the one that was silent, may never be answered. */
  #renew(): void {
    const settings = this.#settings;
    for (const [name, { handler }] of [...this.#consumers]) {
      this.#end(name);
      if (handler && settings) this.#begin(name, handler, settings);
    }
  }

  #endAll(): void {
    for (const name of [...this.#consumers.keys()]) this.#end(name);
  }

  async #do(consumer: Consumer, job: TakenJob, token: string): Promise<void> {
    const { handler, leases } = consumer;
    // It was on its way when its consumer ended.
    if (!handler) return this.#broker.giveBack(job, token);
    const stored = job.id ?? '';
    // When this process asked for it: the other clock says so, which is set now and then.
    const age = Math.max(0, Date.now() - (job.processedOn ?? Date.now()));
    const lease = new Lease(consumer.lease, performance.now() - age);
    leases.set(stored, lease);
    const [id, attempt] = [shownId(stored), job.attemptsMade + 1];
    const running = { handler, lease, done: handler.run({ id, attempt, data: job.data }, lease.signal) };
    this.#running.add(running);
    try {
      await running.done;
    } catch (thrown) {
      if (lease.isCut) return await this.#broker.giveBack(job, token);
      const { attempts = 1 } = job.opts;
      const message = lease.signal.aborted
        ? `${handler.file} failed, but job ${id} is not this process's any more: it gave no sign of life for ${consumer.lease} ms`
        : `${handler.file} failed: attempt ${attempt} of ${attempts} of job ${id}`;
      logSafely(handler.logger, 'error', message, thrown);
      throw storedFailure(thrown);
    } finally {
      lease.end();
      leases.delete(stored);
      this.#running.delete(running);
    }
  }
}

const keyOf = ({ options }: Handler, { lease }: VersionSettings): string => `${lease} ${options.crashes}`;

interface WorkerWatch {
  /** Of the queue. */
  readonly name: string;
  /** Of its consumer, as people see it. */
  readonly file: string;
  readonly lease: number;
  readonly broker: Broker;
  readonly logger: Logger;
}

/** The most that is kept of a message or a stack, in characters: a client's text may be in it. */
const MAX_TEXT = 8_192;
/** Milliseconds between two lines of one queue that say what keeps BullMQ from its work. */
const QUIET_MS = 10_000;

/** Log what only BullMQ knows of the jobs of a queue. */
function watchWorker(worker: QueueWorker, { name, file, lease, broker, logger }: WorkerWatch): void {
  let lastAt = Number.NEGATIVE_INFINITY;
  worker.on('error', (thrown) => {
    // The connection itself says that it is gone, and a lease that is over aborts the signal of its job.
    if (!broker.isReady || isConnectionError(thrown) || LOST_LEASE.test(thrown.message)) return;
    if (performance.now() - lastAt < QUIET_MS) return;
    lastAt = performance.now();
    logSafely(logger, 'warn', `The queue "${name}" cannot go on: ${messageOf(thrown)}. It tries again.`);
  });
  worker.on('stalled', (id) => {
    const message = `${file}: the process that had job ${shownId(id)} gave no sign of life for ${lease} ms. It is given to another.`;
    logSafely(logger, 'warn', message);
  });
  worker.on('failed', (job) => {
    // Whatever its function throws has been logged.
    if (!job?.deferredFailure) return;
    const message = `${file}: job ${shownId(job.id ?? '')} has failed: ${job.stalledCounter} processes ended while they did it.`;
    logSafely(logger, 'error', message);
  });
}

const LOST_LEASE = /could not renew lock|Missing lock|Lock mismatch/;

const isConnectionError = (thrown: NodeJS.ErrnoException): boolean =>
  /^E[A-Z]+$/.test(thrown.code ?? '') || /closed|disconnect|ECONN|socket/i.test(thrown.message);

/** What was thrown as BullMQ stores it. Some names and texts mean something to it, and a text may have no end. */
function storedFailure(thrown: unknown): Error {
  const failure = new Error(messageOf(thrown).slice(0, MAX_TEXT));
  if (thrown instanceof Error) failure.stack = `${thrown.stack}`.slice(0, MAX_TEXT);
  return failure;
}

/** The time for which a job is this process's. The clock is the monotonic one: what sets the other says nothing of it. */
class Lease {
  readonly #controller = new AbortController();
  readonly #duration: number;
  #timer: NodeJS.Timeout | undefined;
  #isCut = false;

  /** `duration` in milliseconds. `since`: from before it was asked for, by `performance.now()`. */
  constructor(duration: number, since: number) {
    this.#duration = duration;
    this.renew(since);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  renew(since: number): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    const left = Math.max(0, since + this.#duration - performance.now());
    this.#timer = setTimeout(() => this.lose(), left).unref();
  }

  /** The job may be another process's from now on. */
  lose(): void {
    clearTimeout(this.#timer);
    this.#controller.abort(
      new Error(`The job may be done by another process now: this one could not renew its lease in time`),
    );
  }

  /** The process ends, and others are to do the job. */
  cut(): void {
    if (this.signal.aborted) return;
    this.#isCut = true;
    clearTimeout(this.#timer);
    this.#controller.abort(new Error('The process ends: another one does the job again'));
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
