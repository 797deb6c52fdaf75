import { brand, coded, isThenable, notJson, type Provide } from 'fwkit/plugin';
import type { Handler } from './job-run.js';
import { ADD_OPTIONS, type AddOptions, checkOptions } from './options.js';
import { checkData, QUEUE_DEFAULTS, type QueueDefinition } from './queue.js';

/** The maximum size of the data of a job in bytes, as JSON. The same number of bytes may wait for an answer of the broker. */
export const MAX_JOB_BYTES = 16 * 1024 * 1024;

export interface NewJob {
  readonly queue: string;
  /** A JSON value. */
  readonly data: unknown;
  readonly text: string;
  /** The size of `text`. */
  readonly bytes: number;
  readonly id: string | undefined;
  readonly delay: number;
  readonly priority: number | undefined;
  readonly attempts: number;
  readonly backoff: QueueDefinition['options']['backoff'];
}

export interface JobSink {
  /** Resolves with the id of the job. */
  add(job: NewJob): Promise<string>;
}

/** The member of `ctx.queues` with its sink, for tests. It is the same symbol in every copy of this package. */
export const SINK = Symbol.for('fwkit.queue.sink');

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
    const members = names.map((name) => {
      const add = (data?: unknown, options: AddOptions = {}) => this.#add(name, data, options);
      return [name, { value: Object.freeze({ add }), enumerable: true }] as const;
    });
    const sink = { get: () => this.#sink };
    return Object.freeze(Object.create(null, { ...Object.fromEntries(members), [SINK]: sink }));
  }

  #add(queue: string, data: unknown, options: AddOptions): Promise<string> {
    const call = `ctx.queues.${queue}.add()`;
    const { attempts, ...own } = checkOptions(call, options, ADD_OPTIONS);
    const text = jsonText(data, `${call}: data`);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_JOB_BYTES)
      throw coded(
        'FWK833',
        `${call}: the data has ${bytes} bytes as JSON, and the limit is ${MAX_JOB_BYTES}. Store it elsewhere, and pass its key.`,
      );
    const { options: queueOptions = QUEUE_DEFAULTS, schema } = this.#definitions.get(queue) ?? {};
    const sink = this.#sink;
    if (!sink)
      throw coded(
        'FWK312',
        new Error(
          `${call} was called before the app serves. Call it in onStart of a service or in one of its methods, but not while the service is created.`,
        ),
      );
    const job = {
      ...own,
      queue,
      data: data ?? null,
      text,
      bytes,
      attempts: attempts ?? queueOptions.attempts,
      backoff: queueOptions.backoff,
    };
    const checked = checkData(schema, job.data, `${call}: the data does not match the schema of the queue`);
    return isThenable(checked) ? Promise.resolve(checked).then(() => sink.add(job)) : sink.add(job);
  }
}

function jsonText(value: unknown, path: string): string {
  if (value === undefined) return 'null';
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK410',
      `${wrong}, which JSON cannot represent. Use only plain objects, arrays, strings, finite numbers, booleans and null.`,
    );
  return JSON.stringify(value);
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
  readonly #ids = new Set<string>();
  #count = 0;

  constructor(private readonly handlers: ReadonlyMap<string, Handler>) {
    made.mark(this);
  }

  async add({ queue, text, id, delay, priority, attempts }: NewJob): Promise<string> {
    if (id === undefined) this.#count += 1;
    const own = id ?? String(this.#count);
    const key = `${queue} ${own}`;
    if (!this.#ids.has(key))
      this.waiting.push({ queue, data: JSON.parse(text), id: own, delay, priority, attempts });
    this.#ids.add(key);
    return own;
  }

  /** Run the waiting jobs, and the jobs that they add, one after another, once each. Rejects with the first error. */
  async run(): Promise<void> {
    const { signal } = new AbortController();
    for (let job = this.waiting.shift(); job; job = this.waiting.shift())
      await this.handlers.get(job.queue)?.run({ id: job.id, attempt: 1, data: job.data }, signal);
  }
}
