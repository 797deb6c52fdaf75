import { coded, isObject } from 'fwkit/plugin';
import { isTestSink, SINK, type TestJob } from './producers.js';

export type { TestJob } from './producers.js';

/** The jobs of an app of `createTestApp()`. */
export interface TestQueues {
  /** Those that were added and not done, the first one first. A delay does not pass, and a priority changes nothing. */
  readonly waiting: readonly TestJob[];
  /**
   * Do those that wait, and those that they add, one after another. Each is tried once: rejects with what the first one throws, and
   * leaves those behind it.
   */
  run(): Promise<void>;
}

/** The jobs that an app of `createTestApp()` adds: it connects to no broker, and does none by itself. */
export function testQueues(app: { readonly ctx: object }): TestQueues {
  const queues: unknown = Reflect.get(app.ctx, 'queues');
  const sink = isObject(queues) ? Reflect.get(queues, SINK) : undefined;
  if (!isTestSink(sink))
    throw coded(
      'FWK901',
      'testQueues() takes an app of createTestApp() that has files under queues/, and no override of ctx.queues. NODE_ENV is "test" there.',
    );
  return {
    get waiting() {
      return [...sink.waiting];
    },
    run: () => sink.run(),
  };
}
