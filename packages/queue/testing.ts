import { coded, isObject } from 'fwkit/plugin';
import { isTestSink, SINK, type TestJob } from './producers.js';

export type { TestJob } from './producers.js';

/** The jobs of an app of `createTestApp()`. */
export interface TestQueues {
  /** Jobs that were added and have not run yet, in the order of adding. Delays and priorities have no effect. */
  readonly waiting: readonly TestJob[];
  /** Run the waiting jobs, and the jobs that they add, once each and one after another. Rejects with the first error; later jobs wait. */
  run(): Promise<void>;
}

/** The jobs that an app of `createTestApp()` adds. Such an app connects to no broker, and runs jobs only on `run()`. */
export function testQueues(app: { readonly ctx: object }): TestQueues {
  const queues: unknown = Reflect.get(app.ctx, 'queues');
  const sink = isObject(queues) ? Reflect.get(queues, SINK) : undefined;
  if (!isTestSink(sink))
    throw coded(
      'FWK901',
      'testQueues() needs an app of createTestApp() with files in queues/, without an override of ctx.queues, and with NODE_ENV "test".',
    );
  return {
    get waiting() {
      return [...sink.waiting];
    },
    run: () => sink.run(),
  };
}
