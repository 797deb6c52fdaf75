// Not that of the global object, which a test may have replaced.
import { setTimeout } from 'node:timers';
import { type Made, Resources } from '../plugin/resources.js';
import { explained } from '../test-error.js';

/** Something that goes on although the app is closed. */
export interface TestLeak {
  /** `a repeating timer`, `a listening server`, `a socket` … */
  readonly what: string;
  /** The file that made it, relative to the current directory; undefined for calls of `app.run` and requests. */
  readonly file?: string;
  readonly line?: number;
  /** The frames that made it, without those of Node. */
  readonly stack?: string;
}

/** What code of a project has left open when its app was closed. */
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
        `The app is closed, and this goes on. End it where it was begun, for a service in onDestroy:\n${lines.join('\n')}`,
      ),
    );
  }
}

/** What the end of an app is known to have left, beside resources. */
interface Ended {
  /** Calls of `app.run` that have not ended. */
  readonly calls: number;
  /** Whether requests had to be cut off. */
  readonly cutOff: boolean;
}

/** Milliseconds for what was ended to be gone, as a socket is, and for what ends by itself. */
const SETTLE_LIMIT_MS = 1_000;
const POLL_MS = 10;
/** A busy machine may leave a process few polls within the time limit. */
const MIN_POLLS = 50;

/** Watches what the code of an app makes. It costs time at each promise. */
export class Leaks {
  readonly #resources = new Resources();

  /** Watch what `work` makes. */
  run<T>(work: () => T): T {
    return this.#resources.run(work);
  }

  /** Watch no more. */
  stop(): void {
    this.#resources.stop();
  }

  /** What is left of an app that is closed. */
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
    if (cutOff) others.push({ what: 'requests or sockets that had to be cut off, since they did not end' });
    return [...found, ...others];
  }
}
