import type { RuntimeCtx, StandardSchema } from 'fwkit';
import { describeIssues, isStandardSchema } from 'fwkit/http';
import { brand, coded, isObject, isThenable, option } from 'fwkit/plugin';
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

/** The default export of a file in `queues/`: the result of `queue()`. `Data` is the type that `add` takes. */
export interface QueueDefinition<Data = unknown> {
  readonly run: (data: never, ctx: RuntimeCtx, job: Job) => unknown;
  readonly options: Required<QueueOptions>;
  /** Checks the data when a job is added and when it runs. */
  readonly schema: StandardSchema | undefined;
  /** Exists only as a type. */
  readonly types?: { readonly data: Data };
}

/** A member of `ctx.queues`. */
export interface Producer<Data> {
  /**
   * Adds a job. Resolves with its id when the broker has stored it. Rejects with `Unavailable` (a request is then answered with 503) if the
   * broker does not answer within `queues.addLimit`. Throws TypeError for data that JSON cannot represent or that does not match the schema,
   * and for invalid options.
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
  data: option.custom<StandardSchema | undefined>(
    undefined,
    'a schema of zod, valibot, arktype or another Standard Schema library',
    isStandardSchema,
  ),
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

const made = brand<QueueDefinition>('fwkit.queue');

export const isQueue = made.has;

/** Check the data of a job. Returns the output of the schema, or a promise if the schema checks asynchronously. */
export function checkData(schema: StandardSchema | undefined, data: unknown, refusal: string): unknown {
  if (!schema) return data;
  const checked = schema['~standard'].validate(data);
  const settle = (done: Awaited<typeof checked>): unknown => {
    if (!done.issues) return done.value;
    throw coded('FWK834', `${refusal}: ${describeIssues(done.issues)}.`);
  };
  return isThenable(checked) ? Promise.resolve(checked).then(settle) : settle(checked);
}

type Run<Data> = (data: Data, ctx: RuntimeCtx, job: Job) => unknown;
type Types<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>;

/**
 * `export default queue({ data: Mail, attempts: 5 }, async (data, ctx, job) => …)`: the function that runs the jobs added with
 * `ctx.queues.<name>.add`, on any machine. A job is complete when it returns or resolves. The options may be omitted. With a schema, `data`
 * has its output type. Throws TypeError for invalid options.
 */
export function queue<Data>(run: Run<Data>): QueueDefinition<Data>;
export function queue<Schema extends StandardSchema>(
  options: QueueOptions & { readonly data: Schema },
  run: Run<Types<Schema>['output']>,
): QueueDefinition<Types<Schema>['input']>;
export function queue<Data>(options: QueueOptions, run: Run<Data>): QueueDefinition<Data>;
export function queue(...given: [Run<never>] | [QueueOptions, Run<never>]): QueueDefinition {
  const [options, run] = given.length === 1 ? [{}, given[0]] : given;
  if (typeof run !== 'function')
    throw coded(
      'FWK402',
      'queue() needs a function that runs a job: queue(async (data, ctx, job) => …), or queue({ attempts: 5 }, async (data, ctx, job) => …).',
    );
  const { data: schema, ...checked } = checkOptions('queue()', options, OPTIONS);
  return Object.freeze(made.mark({ run, options: checked, schema }));
}
