import { coded, type Provide } from 'fwkit/plugin';
import { ADD_OPTIONS, type AddOptions } from './add-options.js';
import { checkOptions } from './check-options.js';
import { jsonText } from './json-text.js';
import { QUEUE_DEFAULTS, type QueueDefinition } from './queue.js';

/** A job that is to be added. */
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

/** Where jobs go. */
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

  /** From now on, jobs go there. */
  use(sink: JobSink): void {
    this.#sink = sink;
  }

  /** From now on, these queues say how their jobs are tried. */
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
