import { setImmediate } from 'node:timers';
import { brand } from '../../../contributions/index.js';

/**
 * The connection of a handler has ended: the client has disconnected, the code has changed, or the server shuts down. It ends
 * loops that send to the connection. fwk never logs it.
 */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';

  constructor() {
    super('The connection has ended, so nothing can be sent. Catch this error only to release resources');
  }
}

const ended = brand<ConnectionEnded>('fwkit.connectionEnded');
ended.mark(ConnectionEnded.prototype);

/** Whether a value is a ConnectionEnded, including one from another copy of this package. */
export const isConnectionEnded = (thrown: unknown): thrown is ConnectionEnded =>
  thrown instanceof Error && ended.has(thrown);

/** A promise that rejects in the next turn of the event loop. If nothing awaits it, the rejection is not reported. */
export function rejectEnded(): Promise<never> {
  // After a turn, so that a loop that catches the error and sends again doesn't block the process.
  const rejected = new Promise<never>((_, reject) => setImmediate(() => reject(new ConnectionEnded())));
  rejected.catch(() => {});
  return rejected;
}

/** How many levels of `cause` are searched for the reason of an abort. */
const MAX_CAUSES = 5;

/**
 * Whether a handler failed because its connection has ended: it threw a ConnectionEnded, the reason of one of the aborted
 * `signals`, an error with such a cause, or another AbortError after one of them has aborted. Never throws.
 */
export function isEndOf(thrown: unknown, signals: readonly (AbortSignal | undefined)[]): boolean {
  try {
    const reasons = signals.flatMap((signal) => (signal?.aborted ? [signal.reason] : []));
    let cause = thrown;
    for (let level = 0; level < MAX_CAUSES && cause instanceof Error; level++) {
      if (isConnectionEnded(cause) || reasons.includes(cause)) return true;
      if (cause.name === 'AbortError' && reasons.length > 0) return true;
      cause = cause.cause;
    }
    return reasons.includes(cause);
  } catch {
    // A Proxy that throws when it is read.
    return false;
  }
}
