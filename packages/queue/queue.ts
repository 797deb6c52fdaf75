import type { RuntimeCtx } from 'fwkit';
import { brand, coded, isObject, option } from 'fwkit/plugin';
import { type AddOptions, checkOptions } from './options.js';

/** The third argument of a queue's function. */
export interface Job {
  /** The id that `add` resolved with. */
  readonly id: string;
  /** 1 for the first attempt, and one more after each attempt that threw. An attempt that ended with its process does not count. */
  readonly attempt: number;
  /**
   * Aborts when another process may run the job, because this process did not renew it for `queues.lease`, and when the shutdown of this
   * process exceeds `queues.drainLimit`. If the job then throws, the attempt does not count.
   */
  readonly signal: AbortSignal;
}

/** How long a job waits for its next attempt after it has thrown. */
export interface Backoff {
  /** `exponential` doubles the delay with each attempt. */
  readonly type: 'fixed' | 'exponential';
  /** The first delay in milliseconds. */
  readonly delay: number;
  /** The fraction of the delay, from 0 to 1, by which it is randomly shortened, so that jobs do not all retry at once. Default: 0. */
  readonly jitter?: number;
}

/** The options of a queue. */
export interface QueueOptions {
  /** The maximum number of attempts if a job throws. Default: 3. */
  readonly attempts?: number;
  /** The delay between attempts. Default: `{ type: 'exponential', delay: 1_000, jitter: 0.5 }`. */
  readonly backoff?: Backoff;
  /** The number of jobs that one process runs concurrently. Default: 1. */
  readonly concurrency?: number;
  /** How often a job is repeated after its process has crashed, before it counts as failed. Default: 3. */
  readonly crashes?: number;
}

/** The default export of a file in `queues/`: the result of `queue()`. */
export interface QueueDefinition<Data> {
  readonly run: (data: Data, ctx: RuntimeCtx, job: Job) => unknown;
  readonly options: Required<QueueOptions>;
}

/** A member of `ctx.queues`. */
export interface Producer<Data> {
  /**
   * Adds a job. Resolves with its id when the broker has stored it. Rejects with `Unavailable` (a request is then answered with 503) if the
   * broker does not answer within `queues.addLimit`. Throws TypeError for data that JSON cannot represent and invalid options.
   */
  add(
    ...job: undefined extends Data ? [data?: Data, options?: AddOptions] : [data: Data, options?: AddOptions]
  ): Promise<string>;
}

/** The type of a member of `ctx.queues`, derived from the default export of its file. */
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
    "an object such as { type: 'exponential', delay: 1_000, jitter: 0.5 }, with type 'fixed' or 'exponential', delay in milliseconds and jitter from 0 to 1",
    isBackoff,
  ),
  concurrency: option.whole(1, { min: 1, unit: 'jobs' }),
  crashes: option.whole(3, { unit: 'crashes' }),
};

/** The options for jobs of a queue whose file has been removed. */
export const QUEUE_DEFAULTS: Required<QueueOptions> = checkOptions('queue()', {}, OPTIONS);

const made = brand<QueueDefinition<never>>('fwkit.queue');

export const isQueue = made.has;

/**
 * `export default queue(async (data: { to: string }, ctx, job) => …, { attempts: 5, concurrency: 4 })`: the function that runs the jobs
 * added with `ctx.queues.<name>.add`, on any machine. A job is complete when it returns or resolves. Throws TypeError for invalid options.
 */
export function queue<Data>(
  run: QueueDefinition<Data>['run'],
  options: QueueOptions = {},
): QueueDefinition<Data> {
  if (typeof run !== 'function')
    throw coded('FWK402', 'queue() needs a function that runs a job: queue(async (data, ctx, job) => …).');
  return Object.freeze(made.mark({ run, options: checkOptions('queue()', options, OPTIONS) }));
}
