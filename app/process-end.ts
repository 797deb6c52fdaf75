import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../kernel/index.js';
import { logSafely } from '../scope/index.js';

/** How long the process is watched at a time, in milliseconds. */
const SLICE_MS = 15;
/** A slice in which the process computed no longer than this is a quiet one, in microseconds. */
const QUIET_US = 1_500;
/** Two, since a thread of a busy machine may wait for a core through one. */
const QUIET_SLICES = 2;
/** The longest that an end waits for quiet, in milliseconds: what a project left running may never be quiet. */
const LIMIT_MS = 1_000;

/**
 * Resolves when the process computes nothing any more. Await it before `process.exit` in a process that has served:
 * Node waits there for V8's compiler threads, and one that needs a garbage collection waits for the main thread, so
 * that both wait forever (https://github.com/nodejs/node/issues/54918: about one in a hundred ends of a busy server, with
 * Node 26). While this waits, the main thread collects, and the compilers come to their end.
 */
export async function untilIdle(): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  for (let quiet = 0; quiet < QUIET_SLICES && performance.now() < until; ) {
    const before = process.cpuUsage();
    await sleep(SLICE_MS);
    const { user, system } = process.cpuUsage(before);
    quiet = user + system < QUIET_US ? quiet + 1 : 0;
  }
}

/** End the process with `status`, or with 1 where it has crashed meanwhile. */
export function exitWith(status: number): never {
  process.exitCode ||= status;
  process.exit();
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * SIGINT and SIGTERM, from when it is made. Until `stopped` is asked for, while there is nothing to finish, they end the
 * process at once, with 128 plus their number, as runtimes report it. That is what the system does by itself, but not to
 * process 1, as which containers start a program: there, a signal that nobody listens for is lost.
 */
export class Signals {
  readonly #end = (_name: string, number: number): never => process.exit(128 + number);

  constructor() {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
  }

  release(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#end);
  }

  /**
   * Resolves at the first of them, or of `more`, with the status of a process that it ends. A second SIGINT or SIGTERM
   * does not wait for what is being finished.
   */
  async stopped(...more: readonly NodeJS.Signals[]): Promise<number> {
    const asked = Promise.race([...STOP_SIGNALS, ...more].map((signal) => once(process, signal)));
    // A terminal that is closed may say so twice, itself and by its runtime.
    for (const signal of more) process.on(signal, () => {});
    this.release();
    const [, number] = await asked;
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
    return 128 + Number(number);
  }
}

/** Milliseconds beyond those that requests get in which the rest must end: a service whose end hangs must not keep the process. */
const END_LIMIT_MS = 5_000;

interface CrashEnding {
  readonly logger: Logger;
  readonly drainLimit: number;
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
