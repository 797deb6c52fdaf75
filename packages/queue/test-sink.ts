import { brand } from 'fwkit/plugin';
import type { Handler } from './job-run.js';
import type { JobSink, NewJob } from './producers.js';

/** A job that a test has added, and that waits. */
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
