import type { Logger } from 'fwkit';
import { Deferred, type HealthStatus, logSafely, messageOf, type Runtime, settledWithin } from 'fwkit/plugin';
import type { Broker, QueueWorker } from './broker.js';
import { shownId, type TakenJob } from './bull-queue.js';
import { isConnectionError } from './connection.js';
import { FinalFailure, type Handler, type JobToDo, RetryLater, type Stop } from './job-run.js';
import { parseOrigin } from './origin.js';
import type { Progress } from './queue.js';

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
  handler: Handler | undefined;
}

interface Running {
  readonly handler: Handler;
  readonly lease: Lease;
  readonly done: Promise<unknown>;
}

/** How long a shutdown waits for jobs whose signal has aborted, in milliseconds. */
const ABORTED_MS = 500;
/** How long a shutdown waits until the results have been reported to the broker, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;
/** How long a queue pauses after its consumer has failed, in milliseconds. */
const RESTART_MS = 1_000;
/** After so many errors without a pause, a consumer of BullMQ has failed: it would block the process. */
const MAX_ERRORS = 100;

export class Consumers {
  readonly #consumers = new Map<string, Consumer>();
  readonly #running = new Set<Running>();
  readonly #closing = new Set<Promise<void>>();
  #handlers: ReadonlyMap<string, Handler> | undefined;
  #settings: VersionSettings | undefined;
  /** When an error of a queue was last logged, by its name. */
  readonly #loggedAt = new Map<string, number>();
  /** The queues that have no working consumer. */
  readonly #failed = new Set<string>();
  /** Resolves during shutdown when all running jobs have ended or have been aborted. */
  readonly #drained = new Deferred();
  #isEnding = false;

  constructor(
    private readonly broker: Broker,
    private readonly runtime: Runtime,
  ) {
    broker.onRenewed = () => this.#renew();
  }

  /** Run new jobs with these handlers, by queue. Running jobs continue with the previous handlers. */
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

  /** The version of these handlers ends. Resolves when its jobs have ended or have been aborted. */
  async leave(handlers: ReadonlyMap<string, Handler>): Promise<void> {
    if (this.#handlers === handlers) {
      this.#handlers = undefined;
      this.#endAll();
    }
    const own = new Set(handlers.values());
    const running = [...this.#running].filter(({ handler }) => own.has(handler));
    await Promise.race([Promise.allSettled(running.map(({ done }) => done)), this.#drained.promise]);
  }

  /** The status for the health of the app. It stays ok while the broker is unavailable: a restart would not help. */
  status(): HealthStatus {
    const failed = [...this.#failed].filter((name) => this.#handlers?.has(name));
    if (failed.length === 0) return { ok: true };
    return { ok: false, detail: `no jobs run in ${failed.join(', ')}, because the consumer has failed` };
  }

  /** Begin the shutdown: start no more jobs, and abort the jobs that do not end in time. */
  stop(): void {
    this.#isEnding = true;
    this.#endAll();
    this.#drained.resolve(this.#drain());
  }

  /** Resolves when the results have been reported to the broker. */
  async close(): Promise<void> {
    await this.#drained.promise;
    const closed = async (): Promise<void> => {
      while (this.#closing.size > 0) await Promise.all(this.#closing);
    };
    await settledWithin(closed(), CLOSE_LIMIT_MS);
  }

  async #drain(): Promise<void> {
    if (!this.#settings) return;
    const { drainLimit, lease, logger } = this.#settings;
    const done = () => Promise.allSettled([...this.#running].map((one) => one.done));
    if (await settledWithin(done(), drainLimit)) return;
    this.runtime.cutOff = true;
    const count = this.#running.size;
    const message = `${count === 1 ? '1 job' : `${count} jobs`} did not end within ${drainLimit} ms (queues.drainLimit). Other processes repeat them, at the latest when their leases expire (${lease} ms).`;
    logSafely(logger, 'warn', message);
    for (const one of this.#running) one.lease.abort(CUT);
    await settledWithin(done(), ABORTED_MS);
  }

  #begin(name: string, handler: Handler, settings: VersionSettings): void {
    const { lease } = settings;
    const leases = new Map<string, Lease>();
    const run = (job: TakenJob, token: string) => this.#do(consumer, job, token);
    const worker = this.broker.consume(name, run, handler.options, lease);
    const consumer: Consumer = { worker, key: keyOf(handler, settings), lease, leases, handler };
    const extend = worker.extendJobLocks.bind(worker);
    worker.extendJobLocks = async (ids, tokens, duration) => {
      const askedAt = performance.now();
      const lost = await extend(ids, tokens, duration);
      for (const id of lost) leases.get(id)?.abort(LOST);
      for (const id of ids) leases.get(id)?.renew(askedAt);
      return lost;
    };
    this.#watch(name, consumer, handler);
    this.#consumers.set(name, consumer);
    this.broker
      .limit(name, handler.options)
      .then(() => (this.#consumers.get(name) === consumer ? worker.run() : undefined))
      .catch((cause) => worker.emit('error', cause))
      .then(() => this.#restart(name, consumer));
  }

  /** Log the problems of a queue that only BullMQ reports, and replace its consumer if it has failed. */
  #watch(name: string, consumer: Consumer, handler: Handler): void {
    const { worker, lease } = consumer;
    const { file, logger } = handler;
    let errors = 0;
    worker.on('ready', () => this.#failed.delete(name));
    worker.on('error', (thrown) => {
      if (errors === 0) setImmediate(() => (errors = 0));
      errors += 1;
      // No timer runs while BullMQ repeats a request that fails at once.
      if (errors === MAX_ERRORS) this.#restart(name, consumer);
      this.broker.leaveReplica(thrown);
      // The broker logs connection errors, and a lost lease aborts the signal of its job.
      if (!this.broker.isReady || isConnectionError(thrown) || LOST_LEASE.test(thrown.message)) return;
      const now = performance.now();
      if (now - (this.#loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
      this.#loggedAt.set(name, now);
      logSafely(logger, 'warn', `The queue "${name}" failed and will be retried: ${messageOf(thrown)}.`);
    });
    worker.on('stalled', (id) => {
      const message = `${file}: the process that ran job ${shownId(id)} did not renew its lease for ${lease} ms. Another process repeats the job.`;
      logSafely(logger, 'warn', message);
    });
    worker.on('failed', (job, error) => {
      // BullMQ sets `finishedOn` if it does not retry the job.
      if (job?.finishedOn === undefined) return;
      // Errors of the function itself have been logged already.
      if (job.deferredFailure) {
        const message = `${file}: job ${shownId(job.id ?? '')} has failed: ${job.stalledCounter} processes ended while they ran it.`;
        logSafely(logger, 'error', message);
      }
      const { failed } = consumer.handler ?? handler;
      this.#finish(failed(toDoOf(job, job.attemptsMade), error));
    });
  }

  /** `work` may end during a shutdown. */
  #finish(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    );
    this.#closing.add(done);
    void done.then(() => this.#closing.delete(done));
  }

  /** Replace a consumer that takes no more jobs, after a pause, because the new one may fail as well. */
  #restart(name: string, consumer: Consumer): void {
    if (this.#consumers.get(name) !== consumer) return;
    this.#end(name);
    this.#failed.add(name);
    const begin = (): void => {
      const handler = this.#isEnding ? undefined : this.#handlers?.get(name);
      if (handler && this.#settings && !this.#consumers.has(name)) this.#begin(name, handler, this.#settings);
    };
    setTimeout(begin, RESTART_MS).unref();
  }

  #end(name: string): void {
    const consumer = this.#consumers.get(name);
    if (!consumer) return;
    this.#consumers.delete(name);
    consumer.handler = undefined;
    this.#finish(consumer.worker.close());
  }

  /** Replace all workers: their connections may be silent as well, and their requests over the old connection may never be answered. */
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

  async #do(consumer: Consumer, job: TakenJob, token: string): Promise<unknown> {
    const { handler, leases } = consumer;
    // The job arrived after its consumer was closed.
    if (!handler) return this.broker.giveBack(job, token);
    const stored = job.id ?? '';
    // The lease began when the job was taken. `processedOn` is a time of the wall clock, which may be adjusted.
    const age = Math.max(0, Date.now() - (job.processedOn ?? Date.now()));
    const lease = new Lease(consumer.lease, performance.now() - age);
    leases.set(stored, lease);
    const toDo = toDoOf(job, job.attemptsMade + 1);
    const running = { handler, lease, done: handler.run(toDo, lease) };
    this.#running.add(running);
    try {
      return await running.done;
    } catch (thrown) {
      const { reason } = lease;
      if (reason === CUT) return await this.broker.giveBack(job, token);
      if (thrown instanceof RetryLater) return await this.broker.delay(job, token, thrown.delay);
      const { id, attempt } = toDo;
      const isFinal = thrown instanceof FinalFailure;
      const message =
        reason === LOST
          ? `${handler.file} failed after this process had lost job ${id}, because it did not renew the lease for ${consumer.lease} ms`
          : `${handler.file} failed: attempt ${attempt} of ${isFinal ? attempt : (job.opts.attempts ?? 1)} of job ${id}`;
      // A final failure is a decision of the function, so it needs no stack trace.
      if (isFinal) logSafely(handler.loggerOf(toDo), 'error', `${message}: ${thrown.message}`);
      else logSafely(handler.loggerOf(toDo), 'error', message, thrown);
      throw storedFailure(thrown);
    } finally {
      lease.end();
      leases.delete(stored);
      this.#running.delete(running);
    }
  }
}

const keyOf = ({ options }: Handler, { lease }: VersionSettings): string =>
  JSON.stringify([lease, options.crashes, options.globalConcurrency, options.limiter]);

/** The maximum length of a stored message or stack trace in characters, because it may contain text from a client. */
const MAX_TEXT = 8_192;
/** The shortest time between two log lines about errors of BullMQ in one queue, in milliseconds. */
const QUIET_MS = 10_000;

const LOST_LEASE = /could not renew lock|Missing lock|Lock mismatch/;

const toDoOf = (job: TakenJob, attempt: number): JobToDo => ({
  id: shownId(job.id ?? ''),
  attempt,
  data: job.data,
  origin: parseOrigin(job.opts.telemetry?.metadata),
  report: progressWriter(job),
});

/** Stores the progress of a job, one value at a time. A value that another one follows in the meantime is skipped. */
function progressWriter(job: TakenJob): JobToDo['report'] {
  let latest: Progress | undefined;
  let isWriting = false;
  return async (progress) => {
    latest = progress;
    if (isWriting) return;
    isWriting = true;
    for (let value: Progress | undefined = progress; value; value = latest) {
      latest = undefined;
      await job.updateProgress({ ...value }).catch(() => {});
    }
    isWriting = false;
  };
}

/** The error that BullMQ stores. A new Error with a limited length, because BullMQ gives some error names a special meaning. */
function storedFailure(thrown: unknown): Error {
  const failure = new Error(messageOf(thrown).slice(0, MAX_TEXT));
  if (thrown instanceof FinalFailure) failure.name = 'UnrecoverableError';
  if (thrown instanceof Error) failure.stack = `${thrown.stack}`.slice(0, MAX_TEXT);
  return failure;
}

/** Why the signal of a job aborts. */
const LOST = new Error(
  'Another process may run the job now, because this process could not renew its lease in time',
);
const CUT = new Error('The process ends, and another process repeats the job');

/** The time for which this process may run a job. It uses the monotonic clock, because the wall clock may be adjusted. */
class Lease implements Stop {
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `duration` in milliseconds. `since` is the time of `performance.now()` before the request for the job. */
  constructor(
    private readonly duration: number,
    since: number,
  ) {
    this.renew(since);
  }

  renew(since: number): void {
    this.end();
    if (this.reason !== undefined) return;
    const left = Math.max(0, since + this.duration - performance.now());
    this.#timer = setTimeout(() => this.abort(LOST), left).unref();
  }

  /** Aborts when the job must end, also because its own time is over. Created on first use, because few jobs use it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Why the signal has aborted. */
  get reason(): unknown {
    return this.#controller?.signal.reason;
  }

  abort(reason: Error): void {
    this.end();
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
