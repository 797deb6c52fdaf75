import type { Resources } from '../plugin/resources.js';
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

/** The resources that are still open after an app was closed, and its unfinished work. */
export async function findLeaks(
  resources: Resources,
  { calls, cutOff }: { readonly calls: number; readonly cutOff: boolean },
): Promise<readonly TestLeak[]> {
  const leaks: TestLeak[] = [...(await resources.leaked())];
  resources.stop();
  if (calls > 0) leaks.push({ what: `${calls} call${calls === 1 ? '' : 's'} of app.run()` });
  if (cutOff) leaks.push({ what: 'requests or sockets that were aborted because they did not end' });
  return leaks;
}
