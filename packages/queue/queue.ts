import type { RuntimeCtx, StandardSchema } from 'fwkit';
import { isStandardSchema } from 'fwkit/http';
import {
  brand,
  coded,
  isObject,
  isThenable,
  type OptionInput,
  type OptionValues,
  option,
} from 'fwkit/plugin';
import { type AddOptions, checkOptions, isWholeFrom1 } from './options.js';

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
  /** Fails the job for good, without another attempt. Throws. */
  fail(reason: string): never;
  /** Ends this attempt, and runs the job again after `seconds`. It does not count as an attempt. Throws. */
  retryIn(seconds: number): never;
  /** Stores the progress of the job, which `getJob` returns. */
  progress(done: number, total: number): void;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A job that has failed permanently. */
export interface FailedJob {
  readonly id: string;
  /** The data as it was added. */
  readonly data: unknown;
  /** The number of attempts. */
  readonly attempt: number;
  /** Has the message and the stack trace of the last error. */
  readonly error: Error;
}

/** A job as the broker stores it. */
export interface StoredJob<Data = unknown, Result = unknown> {
  readonly id: string;
  readonly state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';
  readonly data: Data;
  /** The number of attempts that have ended. */
  readonly attemptsMade: number;
  readonly addedAt: Date;
  readonly progress: Progress | undefined;
  /** The return value of the function. Only in the state `completed`. */
  readonly result: Result | undefined;
  /** The message of the last error. */
  readonly failedReason: string | undefined;
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

/** A rate limit for all processes together. */
export interface Limiter {
  readonly max: number;
  /** Milliseconds. */
  readonly duration: number;
}

/** The default export of a file in `queues/`: the result of `queue()`. `Data` is the type that `add` takes. */
export interface QueueDefinition<Data = unknown, Result = unknown> {
  readonly run: (data: never, ctx: RuntimeCtx, job: Job) => unknown;
  readonly options: OptionValues<typeof OPTIONS>;
  /** Checks the data when a job is added and when it runs. */
  readonly schema: StandardSchema | undefined;
  /** Exists only as a type. */
  readonly types?: { readonly data: Data; readonly result: Result };
}

/** A member of `ctx.queues`. */
export interface Producer<Data, Result = unknown> {
  /**
   * Adds a job. Resolves with its id when the broker has stored it. Rejects with `Unavailable` (a request is then answered with 503) if the
   * broker does not answer within `queues.addLimit`. Throws TypeError for data that JSON cannot represent or that does not match the schema,
   * and for invalid options.
   */
  add(
    ...job: undefined extends Data ? [data?: Data, options?: AddOptions] : [data: Data, options?: AddOptions]
  ): Promise<string>;
  /** Adds all of these jobs or none, like `add`, and much faster than one by one. Resolves with their ids. */
  addMany(
    jobs: readonly (Omit<AddOptions, 'transaction'> &
      (undefined extends Data ? { readonly data?: Data } : { readonly data: Data }))[],
    options?: Pick<AddOptions, 'transaction'>,
  ): Promise<string[]>;
  /** Reads a job. Undefined if the broker does not know its id (any more). */
  getJob(id: string): Promise<StoredJob<Data, Result> | undefined>;
  /**
   * Resolves with the result of a job when it has completed. Rejects if the job fails for good, if it does not finish within `timeout`
   * milliseconds (default: 30,000), or if its id is unknown.
   */
  waitUntilFinished(id: string, options?: { readonly timeout?: number }): Promise<Result>;
}

/** The type of a member of `ctx.queues`, derived from the default export of its file. */
export type ProducerOf<Definition> =
  Definition extends QueueDefinition<infer Data, infer Result> ? Producer<Data, Result> : never;

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
  /** The maximum number of attempts if a job throws. Default: 3. */
  attempts: option.integer(3, { min: 1, unit: 'attempts' }),
  /** The delay between attempts. Default: `{ type: 'exponential', delay: 1_000, jitter: 0.5 }`. */
  backoff: option.custom<Backoff>(
    BACKOFF,
    "an object such as { type: 'exponential', delay: 1_000, jitter: 0.5 }, with type 'fixed' or 'exponential', delay in milliseconds and jitter from 0 to 1",
    isBackoff,
  ),
  /** The number of jobs that one process runs concurrently. Default: 1. */
  concurrency: option.integer(1, { min: 1, unit: 'jobs' }),
  /** The number of jobs that all processes run concurrently. Default: no limit. */
  globalConcurrency: option.optional<number>('a whole number of jobs, at least 1', isWholeFrom1),
  /** All processes together start at most `max` jobs in `duration` milliseconds. Default: no limit. */
  limiter: option.optional<Limiter>(
    'an object such as { max: 100, duration: 60_000 }, with the duration in milliseconds',
    (value) =>
      isObject(value) &&
      isWholeFrom1(value.max) &&
      isWholeFrom1(value.duration) &&
      Object.keys(value).length === 2,
  ),
  /** How often a job is repeated after its process has crashed, before it counts as failed. Default: 3. */
  crashes: option.integer(3, { unit: 'crashes' }),
  /** Called when a job has failed permanently. Its result is ignored, and it is not repeated. */
  failed: option.optional<(job: FailedJob, ctx: RuntimeCtx) => unknown>(
    'a function (job, ctx) => …',
    (value) => typeof value === 'function',
  ),
  /** The time limit of an attempt in milliseconds. `signal` then aborts, and the attempt has failed. Default: none. */
  timeout: option.optional<number>('a whole number of milliseconds, at least 1', isWholeFrom1),
};

/** The options of a queue. */
export interface QueueOptions extends OptionInput<typeof OPTIONS> {}

const ALL_OPTIONS = {
  ...OPTIONS,
  data: option.optional<StandardSchema>(
    'a schema of zod, valibot, arktype or another Standard Schema library',
    isStandardSchema,
  ),
};

/** The options for jobs of a queue whose file has been removed. */
export const QUEUE_DEFAULTS = checkOptions('queue()', {}, OPTIONS);

const made = brand<QueueDefinition>('fwkit.queue');

export const isQueue = made.has;

const MAX_ISSUES = 10;
/** The value in the messages of valibot and arktype, which may be secret and would be logged. */
const VALUE = /(?: but received |: Received | \(was ).*$/s;

function issueText({ path = [], message }: SchemaIssue): string {
  const keys = Array.from(path, (part) => String(typeof part === 'object' ? part.key : part));
  return `${keys.join('.')}${keys.length === 0 ? '' : ': '}${message.replace(VALUE, '')}`;
}

/** Check the data of a job. Returns the output of the schema, or a promise if the schema checks asynchronously. */
export function checkData(schema: StandardSchema | undefined, data: unknown, refusal: string): unknown {
  if (!schema) return data;
  const checked = schema['~standard'].validate(data);
  const settle = (done: Awaited<typeof checked>): unknown => {
    if (!done.issues) return done.value;
    // `add()` without data stores null.
    if (data === null) return checkData(schema, undefined, refusal);
    throw coded('FWK834', `${refusal}: ${done.issues.slice(0, MAX_ISSUES).map(issueText).join('; ')}.`);
  };
  return isThenable(checked) ? Promise.resolve(checked).then(settle) : settle(checked);
}

type SchemaIssue = NonNullable<
  Awaited<ReturnType<StandardSchema['~standard']['validate']>>['issues']
>[number];
type Run<Data, Result> = (data: Data, ctx: RuntimeCtx, job: Job) => Result;
type Types<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>;

/**
 * `export default queue({ data: Mail, attempts: 5 }, async (data, ctx, job) => …)`: the function that runs the jobs added with
 * `ctx.queues.<name>.add`, on any machine. A job is complete when it returns or resolves. The options may be omitted. With a schema, `data`
 * has its output type. Throws TypeError for invalid options.
 */
export function queue<Data, Result>(run: Run<Data, Result>): QueueDefinition<Data, Awaited<Result>>;
export function queue<Schema extends StandardSchema, Result>(
  options: QueueOptions & { readonly data: Schema },
  run: Run<Types<Schema>['output'], Result>,
): QueueDefinition<Types<Schema>['input'], Awaited<Result>>;
export function queue<Data, Result>(
  options: QueueOptions,
  run: Run<Data, Result>,
): QueueDefinition<Data, Awaited<Result>>;
export function queue(
  ...given: [Run<never, unknown>] | [QueueOptions, Run<never, unknown>]
): QueueDefinition {
  const [options, run] = given.length === 1 ? [{}, given[0]] : given;
  if (typeof run !== 'function')
    throw coded(
      'FWK402',
      'queue() needs a function that runs a job: queue(async (data, ctx, job) => …), or queue({ attempts: 5 }, async (data, ctx, job) => …).',
    );
  const { data: schema, ...checked } = checkOptions('queue()', options, ALL_OPTIONS);
  return Object.freeze(made.mark({ run, options: checked, schema }));
}
