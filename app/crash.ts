import { type Logger, logSafely } from '../kernel/index.js';

/** Milliseconds beyond those that requests get in which the rest must end: a service whose end hangs must not keep the process. */
const END_LIMIT_MS = 5_000;

/** How a process that serves ends. */
export interface CrashEnding {
  readonly logger: Logger;
  /** Milliseconds that requests get to end. */
  readonly drainLimit: number;
  /** Accept nothing more, let requests end, and end the process with 1. */
  end(): Promise<unknown>;
}

/**
 * From now on, an error that nothing catches, or a rejection that nothing handles, ends the process in good order: what it may
 * have broken answers nobody new, but the requests that it has begun. Listeners of the project's own for these events run, too.
 */
export function endOnCrash({ logger, drainLimit, end }: CrashEnding): void {
  let isEnding = false;
  process.on('uncaughtException', (thrown, origin) => {
    const what = origin === 'unhandledRejection' ? 'A rejection was not handled' : 'An error was not caught';
    const then = isEnding ? '' : ': the process lets its requests end, and ends with 1';
    try {
      logger.fatal({ err: thrown }, `${what}${then}`);
    } catch {
      logSafely(logger, 'error', what, thrown);
    }
    // One that comes meanwhile must not begin again.
    if (isEnding) return;
    isEnding = true;
    // Whatever ends it, be it that nothing is left to wait for, or an end that was under way.
    process.exitCode = 1;
    setTimeout(() => process.exit(1), drainLimit + END_LIMIT_MS).unref();
    end().catch(() => process.exit(1));
  });
}
