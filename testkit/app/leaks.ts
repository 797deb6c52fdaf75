// Imported, because a test may have replaced the global.
import { setTimeout } from 'node:timers';
import { type Made, Resources } from '../plugin/resources.js';
import { explained } from '../test-error.js';

/** A resource that is still open after the app was closed. */
export interface TestLeak {
  /** `a repeating timer`, `a listening server`, `a socket` … */
  readonly what: string;
  /** The file that made it, relative to the current directory; undefined for calls of `app.run` and requests. */
  readonly file?: string;
  readonly line?: number;
  /** The stack frames of its creation, without Node's. */
  readonly stack?: string;
}

/** Resources that code of a project has left open when its app was closed. */
export class TestLeakError extends Error {
  override readonly name = 'TestLeakError';
  readonly code = 'FWK907';

  constructor(readonly leaks: readonly TestLeak[]) {
    const lines = leaks.map(({ what, file, line, stack }) =>
      file === undefined ? `- ${what}` : `- ${what}, made at ${file}:${line}\n${stack}`,
    );
    super(
      explained(
        'FWK907',
        `The app is closed, but these resources are still open. Close each where it was opened, in a service in onDestroy:\n${lines.join('\n')}`,
      ),
    );
  }
}

interface Ended {
  readonly calls: number;
  readonly cutOff: boolean;
}

/** Milliseconds to wait for closed resources, such as sockets, and for work that ends soon. */
const SETTLE_LIMIT_MS = 1_000;
const POLL_MS = 10;
/** A busy machine may leave a process few polls within the time limit. */
const MIN_POLLS = 50;

/** Records the resources that the app's code creates. It makes each promise slower. */
export class Leaks {
  readonly #resources = new Resources();

  run<T>(work: () => T): T {
    return this.#resources.run(work);
  }

  stop(): void {
    this.#resources.stop();
  }

  async find({ calls, cutOff }: Ended): Promise<readonly TestLeak[]> {
    const begin = performance.now();
    let found: readonly Made[] = this.#resources.foreign();
    for (
      let polls = 0;
      found.length > 0 && (polls < MIN_POLLS || performance.now() - begin < SETTLE_LIMIT_MS);
      polls++
    ) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      found = this.#resources.foreign();
    }
    this.stop();
    const others: TestLeak[] = [];
    if (calls > 0) others.push({ what: `${calls} call${calls === 1 ? '' : 's'} of app.run()` });
    if (cutOff) others.push({ what: 'requests or sockets that were aborted because they did not end' });
    return [...found, ...others];
  }
}
