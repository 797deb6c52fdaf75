import type { RuntimeCtx } from 'fwkit';
import { brand, coded, isObject, option } from 'fwkit/plugin';
import { type AddOptions, checkOptions } from './options.js';

/** A job, as the function of its queue sees it. */
export interface Job {
  /** What `add` gave. */
  readonly id: string;
  /** 1 for the first try, and one more after each that threw. A try that ended with its process counts as none. */
  readonly attempt: number;
  /**
   * Aborts when another process may have the job, since this one gave no sign of life for `queues.lease`, say; and when the
   * process ends, `queues.drainLimit` after it was asked to. What throws then is tried again as if it had not begun.
   */
  readonly signal: AbortSignal;
}

/** How long a job that has thrown waits to be tried again. */
export interface Backoff {
  /** `exponential`: twice as long each time. */
  readonly type: 'fixed' | 'exponential';
  /** Milliseconds, of the first time. */
  readonly delay: number;
  /** From 0 to 1: by which part of it the wait may be shorter, by chance, so that not all come back at once. Default: 0. */
  readonly jitter?: number;
}

/** How the jobs of a queue are done. */
export interface QueueOptions {
  /** How often a job is tried that throws. Default: 3. */
  readonly attempts?: number;
  /** Default: `{ type: 'exponential', delay: 1_000, jitter: 0.5 }`. */
  readonly backoff?: Backoff;
  /** How many jobs one process does at a time. Default: 1. */
  readonly concurrency?: number;
  /** How often a job is given to another process when one has died at it; then it has failed. Default: 3. */
  readonly crashes?: number;
}

/** What a file under `queues/` exports. */
export interface QueueDefinition<Data> {
  readonly run: (data: Data, ctx: RuntimeCtx, job: Job) => unknown;
  readonly options: Required<QueueOptions>;
}

/** A member of `ctx.queues`. */
export interface Producer<Data> {
  /**
   * Adds a job. Resolves with its id when the broker has it. Rejects with `Unavailable` (a request is answered with 503 then) where
   * that does not answer within `queues.addLimit`; throws a TypeError for data that JSON has not, and wrong options.
   */
  add(
    ...job: undefined extends Data ? [data?: Data, options?: AddOptions] : [data: Data, options?: AddOptions]
  ): Promise<string>;
}

/** The member of `ctx.queues` that belongs to the default export of a file. */
export type ProducerOf<Definition> = Definition extends QueueDefinition<infer Data> ? Producer<Data> : never;

const BACKOFF: Backoff = { type: 'exponential', delay: 1_000, jitter: 0.5 };

const isBackoff = (value: unknown): value is Backoff => {
  if (!isObject(value)) return false;
  const { type, delay, jitter = 0, ...more } = value;
  return (
    (type === 'fixed' || type === 'exponential') &&
    Number.isSafeInteger(delay) &&
    Number(delay) >= 0 &&
    typeof jitter === 'number' &&
    jitter >= 0 &&
    jitter <= 1 &&
    Object.keys(more).length === 0
  );
};

const OPTIONS = {
  attempts: option.whole(3, { min: 1, unit: 'attempts' }),
  backoff: option.custom<Backoff>(
    BACKOFF,
    "an object such as { type: 'exponential', delay: 1_000, jitter: 0.5 }: the type is fixed or exponential, delay in milliseconds, jitter from 0 to 1",
    isBackoff,
  ),
  concurrency: option.whole(1, { min: 1, unit: 'jobs' }),
  crashes: option.whole(3, { unit: 'crashes' }),
};

/** What holds for jobs of a queue whose file is not there any more. */
export const QUEUE_DEFAULTS: Required<QueueOptions> = checkOptions('queue()', {}, OPTIONS);

const made = brand<QueueDefinition<never>>('fwkit.queue');

export const isQueue = made.has;

/**
 * `export default queue(async (data: { to: string }, ctx, job) => …, { attempts: 5, concurrency: 4 })`: what is done with the jobs that
 * `ctx.queues.<name>.add` adds, on whichever machine. A job is done when the function returns, or its promise resolves. Throws a
 * TypeError for wrong options.
 */
export function queue<Data>(
  run: QueueDefinition<Data>['run'],
  options: QueueOptions = {},
): QueueDefinition<Data> {
  if (typeof run !== 'function')
    throw coded('FWK402', 'queue() takes a function that does a job: queue(async (data, ctx, job) => …).');
  return Object.freeze(made.mark({ run, options: checkOptions('queue()', options, OPTIONS) }));
}
