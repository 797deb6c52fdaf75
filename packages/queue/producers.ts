import { setTimeout as sleep } from 'node:timers/promises';
import {
  brand,
  coded,
  isObject,
  isThenable,
  messageOf,
  notJson,
  type OptionValues,
  option,
  type Provide,
} from 'fwkit/plugin';
import { type Handler, NOT_STORED, RetryLater } from './job-run.js';
import {
  ADD_OPTIONS,
  type AddOptions,
  checkOptions,
  type JOB_OPTIONS,
  MANY_JOB,
  MANY_OPTIONS,
  type Transaction,
} from './options.js';
import { type JobOrigin, originOf } from './origin.js';
import {
  checkData,
  type Producer,
  type Progress,
  QUEUE_DEFAULTS,
  type QueueDefinition,
  type StoredJob,
} from './queue.js';

/** The maximum size of the data of a job in bytes, as JSON. The same number of bytes may wait for an answer of the broker. */
export const MAX_JOB_BYTES = 16 * 1024 * 1024;

export interface NewJob {
  readonly queue: string;
  /** A JSON value. */
  readonly data: unknown;
  /** Its size as JSON. */
  readonly bytes: number;
  readonly id: string | undefined;
  readonly delay: number;
  readonly priority: number | undefined;
  readonly attempts: number;
  readonly backoff: QueueDefinition['options']['backoff'];
  readonly origin: JobOrigin;
  readonly again: boolean;
}

export interface JobSink {
  /** Add jobs to one queue, all or none. Resolves with their ids. */
  add(jobs: readonly NewJob[], transaction?: Transaction): Promise<string[]>;
  getJob(queue: string, id: string): Promise<StoredJob | undefined>;
  /** Resolves with undefined for a job that does not exist. */
  stateOf(queue: string, id: string): Promise<StoredJob['state'] | undefined>;
}

/** How long a caller waits for the result of a job by default, in milliseconds. */
const WAIT_MS = 30_000;
/** The pauses between two questions whether a job has finished, in milliseconds. They grow with the duration of the job. */
const FIRST_POLL_MS = 10;
const POLL_GROWTH = 1.2;
const LONGEST_POLL_MS = 250;

const WAIT_OPTIONS = { timeout: option.integer(WAIT_MS, { unit: 'milliseconds' }) };

/** The member of `ctx.queues` with its sink, for tests. It is the same symbol in every copy of this package. */
export const SINK = Symbol.for('fwkit.queue.sink');

/** The method of `ctx.queues` that returns the producers of one scope. It is the same symbol in every copy of fwkit. */
const FOR_SCOPE = Symbol.for('fwkit.forScope');
const SCOPE = Symbol('scope');

/** The state behind `ctx.queues`. Versions inherit it, so that a reload keeps the object that services hold. */
export class Producers {
  #sink: JobSink | undefined;
  #definitions: ReadonlyMap<string, QueueDefinition> = new Map();
  #names = '';
  #make: Provide | undefined;

  use(sink: JobSink): void {
    this.#sink = sink;
  }

  define(definitions: ReadonlyMap<string, QueueDefinition>): void {
    this.#definitions = definitions;
  }

  /** Returns a function that creates `ctx.queues` with these members. It is the same function while the names do not change. */
  makeFor(names: readonly string[]): Provide {
    const text = names.join();
    if (!this.#make || text !== this.#names) this.#make = () => this.#valueOf(names);
    this.#names = text;
    return this.#make;
  }

  #valueOf(names: readonly string[]): object {
    const producerOf = (name: string, scope: unknown): Producer<unknown> =>
      Object.freeze<Producer<unknown>>({
        add: (data?: unknown, options: AddOptions = {}) => {
          const call = `ctx.queues.${name}.add()`;
          const checked = checkOptions(call, options, ADD_OPTIONS);
          const job = this.#job(name, call, data, checked, scope);
          return ignorable(this.#add(name, 'add', [job], checked.transaction).then(([id = '']) => id));
        },
        addMany: (given, options = {}) => {
          const call = `ctx.queues.${name}.addMany()`;
          const { transaction } = checkOptions(call, options, MANY_OPTIONS);
          if (!Array.isArray(given))
            throw coded('FWK833', `${call} needs an array of jobs: [{ data, id }, …].`);
          const jobs = given.map((one: unknown, at) => {
            const of = `${call}: job ${at}`;
            if (!isObject(one)) throw coded('FWK833', `${of} must be an object: { data, id }.`);
            return this.#job(name, of, one.data, checkOptions(of, one, MANY_JOB), scope);
          });
          return ignorable(this.#add(name, 'addMany', jobs, transaction));
        },
        getJob: (id) => this.#sinkFor(name, 'getJob').getJob(name, String(id)),
        waitUntilFinished: (id, options = {}) => this.#wait(name, String(id), options),
      });
    const members = names.map((name) => {
      const get = function (this: object): Producer<unknown> {
        return producerOf(name, Reflect.get(this, SCOPE));
      };
      return [name, { get, enumerable: true }] as const;
    });
    const queues: object = Object.create(null, {
      ...Object.fromEntries(members),
      [SINK]: { get: () => this.#sink },
      [FOR_SCOPE]: { value: (scope: unknown) => Object.create(queues, { [SCOPE]: { value: scope } }) },
    });
    return Object.freeze(queues);
  }

  /** Check a job. Returns a promise if its schema checks asynchronously. `call` is the function call that an error names. */
  #job(
    queue: string,
    call: string,
    data: unknown,
    given: OptionValues<typeof JOB_OPTIONS>,
    scope: unknown,
  ): NewJob | Promise<NewJob> {
    const bytes = jsonBytes(data, `${call}: data`);
    if (bytes > MAX_JOB_BYTES)
      throw coded(
        'FWK833',
        `${call}: the data has ${bytes} bytes as JSON, and the limit is ${MAX_JOB_BYTES}. Store it elsewhere, and pass its key.`,
      );
    const { options = QUEUE_DEFAULTS, schema } = this.#definitions.get(queue) ?? {};
    const { id, delay, priority, again } = given;
    const job = {
      queue,
      data: data ?? null,
      bytes,
      id,
      delay,
      priority,
      again,
      attempts: given.attempts ?? options.attempts,
      backoff: options.backoff,
      origin: originOf(scope, queue),
    };
    const checked = checkData(schema, job.data, `${call}: the data does not match the schema of the queue`);
    return isThenable(checked) ? Promise.resolve(checked).then(() => job) : job;
  }

  #add(
    queue: string,
    method: string,
    jobs: readonly (NewJob | Promise<NewJob>)[],
    transaction: Transaction | undefined,
  ): Promise<string[]> {
    const sink = this.#sinkFor(queue, method);
    return Promise.all(jobs).then((checked) => sink.add(checked, transaction));
  }

  #sinkFor(queue: string, method: string): JobSink {
    if (this.#sink) return this.#sink;
    throw coded(
      'FWK312',
      new Error(
        `ctx.queues.${queue}.${method}() was called before the app serves. Call it in onStart of a service or in one of its methods, but not while the service is created.`,
      ),
    );
  }

  async #wait(queue: string, id: string, options: object): Promise<unknown> {
    const { timeout } = checkOptions(`ctx.queues.${queue}.waitUntilFinished()`, options, WAIT_OPTIONS);
    const sink = this.#sinkFor(queue, 'waitUntilFinished');
    const job = `Job ${id} of the queue "${queue}"`;
    const end = performance.now() + timeout;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * POLL_GROWTH, LONGEST_POLL_MS)) {
      const state = await sink.stateOf(queue, id);
      if (state === undefined || state === 'completed' || state === 'failed')
        return resultOf(await sink.getJob(queue, id), job);
      const left = end - performance.now();
      if (left <= 0) throw failure('FWK836', `${job} did not finish within ${timeout} ms.`);
      await sleep(Math.min(pause, left));
    }
  }
}

/** If the caller ignores the promise, an unavailable broker must not crash the process. The outage is logged. */
function ignorable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

const failure = (code: 'FWK835' | 'FWK836', message: string): Error => coded(code, new Error(message));

/** The size of `value` as JSON. */
function jsonBytes(value: unknown, path: string): number {
  if (value === undefined) return 4;
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK410',
      `${wrong}, which JSON cannot represent. Use only plain objects, arrays, strings, finite numbers, booleans and null.`,
    );
  return Buffer.byteLength(JSON.stringify(value));
}

function resultOf(stored: StoredJob | undefined, job: string): unknown {
  if (!stored) throw failure('FWK836', `${job} does not exist.`);
  if (stored.state === 'failed') throw failure('FWK835', `${job} has failed: ${stored.failedReason}`);
  const { result } = stored;
  if (!isObject(result) || !(NOT_STORED in result)) return result;
  throw failure('FWK836', `${job} has completed, but ${result[NOT_STORED]}.`);
}

export interface TestJob {
  /** The name of its queue: `mail`. */
  readonly queue: string;
  /** The data that the function of the queue receives. */
  readonly data: unknown;
  readonly id: string;
  /** Milliseconds. */
  readonly delay: number;
  readonly priority: number | undefined;
  readonly attempts: number;
}

const made = brand<TestSink>('fwkit.queue.test');

/** Whether a value is a TestSink, also if another copy of this package created it. */
export const isTestSink = made.has;

/** The sink in tests: it connects to no broker, and jobs wait until the test runs them. */
export class TestSink implements JobSink {
  readonly waiting: TestJob[] = [];
  readonly #jobs = new Map<string, StoredJob>();
  readonly #origins = new WeakMap<TestJob, JobOrigin>();
  #count = 0;

  constructor(private readonly handlers: ReadonlyMap<string, Handler>) {
    made.mark(this);
  }

  async add(jobs: readonly NewJob[]): Promise<string[]> {
    return jobs.map((job) => this.#add(job));
  }

  #add({ queue, data, id, delay, priority, attempts, origin, again }: NewJob): string {
    if (id === undefined) this.#count += 1;
    const own = id ?? String(this.#count);
    const key = `${queue} ${own}`;
    const known = this.#jobs.get(key);
    if (known && (!again || known.state === 'waiting')) return own;
    const job = { queue, data: JSON.parse(JSON.stringify(data)), id: own, delay, priority, attempts };
    this.waiting.push(job);
    this.#origins.set(job, origin);
    const none = { attemptsMade: 0, progress: undefined, result: undefined, failedReason: undefined };
    this.#jobs.set(key, { id: own, state: 'waiting', data: job.data, addedAt: new Date(), ...none });
    return own;
  }

  async getJob(queue: string, id: string): Promise<StoredJob | undefined> {
    return this.#jobs.get(`${queue} ${id}`);
  }

  async stateOf(queue: string, id: string): Promise<StoredJob['state'] | undefined> {
    return this.#jobs.get(`${queue} ${id}`)?.state;
  }

  /** Run the waiting jobs, and the jobs that they add, one after another, once each. Rejects with the first error. */
  async run(): Promise<void> {
    const later: TestJob[] = [];
    for (let job = this.waiting.shift(); job; job = this.waiting.shift())
      if (!(await this.#run(job))) later.push(job);
    this.waiting.push(...later);
  }

  /** Returns false for a job that waits after `retryIn()`. */
  async #run(job: TestJob): Promise<boolean> {
    const { queue, id, data } = job;
    const handler = this.handlers.get(queue);
    const note = (change: Partial<StoredJob>): void => {
      const stored = this.#jobs.get(`${queue} ${id}`);
      if (stored) this.#jobs.set(`${queue} ${id}`, { ...stored, ...change });
    };
    const report = (progress: Progress): void => note({ progress });
    const toDo = { id, attempt: 1, data, report, origin: this.#origins.get(job) ?? {} };
    try {
      const result = await handler?.run(toDo, new AbortController());
      note({ state: 'completed', attemptsMade: 1, result });
      return true;
    } catch (thrown) {
      if (thrown instanceof RetryLater) return false;
      note({ state: 'failed', attemptsMade: 1, failedReason: messageOf(thrown) });
      await handler?.failed(toDo, thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
      throw thrown;
    }
  }
}
