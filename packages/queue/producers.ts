import { brand, coded, notJson, type Provide } from 'fwkit/plugin';
import type { Handler } from './job-run.js';
import { ADD_OPTIONS, type AddOptions, checkOptions } from './options.js';
import { QUEUE_DEFAULTS, type QueueDefinition } from './queue.js';

export interface NewJob {
  readonly queue: string;
  /** What JSON has. */
  readonly data: unknown;
  /** The same, as JSON. */
  readonly text: string;
  readonly id: string | undefined;
  readonly delay: number;
  readonly priority: number | undefined;
  readonly attempts: number;
  readonly backoff: QueueDefinition<never>['options']['backoff'];
}

export interface JobSink {
  /** Resolves with the id of the job. */
  add(job: NewJob): Promise<string>;
}

/** The member of `ctx.queues` by which tests find where jobs go. Known to every copy of this package in a process. */
export const SINK = Symbol.for('fwkit.queue.sink');

/** What `ctx.queues` stands on: versions hand it on, so that a reload keeps it, and services that read it. */
export class Producers {
  #sink: JobSink | undefined;
  #definitions: ReadonlyMap<string, QueueDefinition<never>> = new Map();
  #names = '';
  #make: Provide | undefined;

  use(sink: JobSink): void {
    this.#sink = sink;
  }

  define(definitions: ReadonlyMap<string, QueueDefinition<never>>): void {
    this.#definitions = definitions;
  }

  /** Makes `ctx.queues` with members of these names: the same function as long as they are the same. */
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
    const what = `ctx.queues.${queue}.add()`;
    const { attempts, ...own } = checkOptions(what, options, ADD_OPTIONS);
    const text = jsonText(data, `${what}: data`);
    const { attempts: usual, backoff } = this.#definitions.get(queue)?.options ?? QUEUE_DEFAULTS;
    if (!this.#sink)
      throw coded(
        'FWK312',
        new Error(
          `${what} was called before the app serves. Call it in onStart of a service, or when something is asked of that, not while it is made.`,
        ),
      );
    return this.#sink.add({ ...own, queue, data: data ?? null, text, attempts: attempts ?? usual, backoff });
  }
}

function jsonText(value: unknown, path: string): string {
  if (value === undefined) return 'null';
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK410',
      `${wrong}, which JSON has not: give plain objects, arrays, strings, finite numbers, booleans and null.`,
    );
  return JSON.stringify(value);
}

export interface TestJob {
  /** The name of its queue: `mail`. */
  readonly queue: string;
  /** As the function of the queue gets it. */
  readonly data: unknown;
  readonly id: string;
  /** Milliseconds. */
  readonly delay: number;
  readonly priority: number | undefined;
  readonly attempts: number;
}

const made = brand<TestSink>('fwkit.queue.test');

/** Whether a value is a TestSink. Also true of one that another copy of this package made. */
export const isTestSink = made.has;

/** Where jobs of a test go: nothing connects to a broker, and they wait until the test has them done. */
export class TestSink implements JobSink {
  readonly waiting: TestJob[] = [];
  readonly #ids = new Set<string>();
  readonly #handlers: ReadonlyMap<string, Handler>;
  #count = 0;

  constructor(handlers: ReadonlyMap<string, Handler>) {
    this.#handlers = handlers;
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

  /** Do what waits, and what that adds, one after another, each once. Rejects with what the first one throws. */
  async run(): Promise<void> {
    const { signal } = new AbortController();
    for (let job = this.waiting.shift(); job; job = this.waiting.shift())
      await this.#handlers.get(job.queue)?.run({ id: job.id, attempt: 1, data: job.data }, signal);
  }
}
