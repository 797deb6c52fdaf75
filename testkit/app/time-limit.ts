// Not those of the global object, which a test may have replaced.
import { clearTimeout, setTimeout } from 'node:timers';
import { testError } from '../test-error.js';

/** How long a test waits for a message or an event, in milliseconds: well below the limits of test runners. */
export const WAIT_MS = 4_000;

/** What `promise` gives. Rejects with an error that says `late()` where that takes longer than `limit` milliseconds. */
export async function within<T>(promise: Promise<T>, limit: number, late: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(testError('FWK903', late())), limit);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
