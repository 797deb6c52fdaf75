import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../kernel/index.js';
import { isConnectionEnded } from '../plugins/http/internal.js';
import { logSafely } from '../scope/index.js';

/** Length of one time slice in which the process is watched, in milliseconds. */
const SLICE_MS = 15;
/** A slice in which the process computed no longer than this is quiet, in microseconds. */
const QUIET_US = 1_500;
/** Two slices, because on a busy machine a thread may wait for a core during one of them. */
const QUIET_SLICES = 2;
/** The longest wait for quiet slices, in milliseconds: background work of a project may never pause. */
const LIMIT_MS = 1_000;

/**
 * Resolves when the process is idle. Await it before `process.exit` in a process that has served requests: Node waits there for V8's
 * compiler threads, and a compiler thread that needs a garbage collection waits for the main thread, so both wait forever
 * (https://github.com/nodejs/node/issues/54918: about one in a hundred exits of a busy server, with Node 26).
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

export function exitWith(status: number): never {
  process.exitCode ||= status;
  process.exit();
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Handles SIGINT and SIGTERM from its creation on. Until `stopped` is called, they end the process at once, with 128 plus their number.
 * The system does that too, but not for process 1, as which containers start a program: it ignores a signal without a listener.
 */
export class Signals {
  readonly #end = (_name: string, number: number): never => process.exit(128 + number);

  constructor() {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
  }

  release(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#end);
  }

  /** Resolves at the first of these signals, or of `more`, with its exit code. A second SIGINT or SIGTERM exits at once. */
  async stopped(...more: readonly NodeJS.Signals[]): Promise<number> {
    const asked = Promise.race([...STOP_SIGNALS, ...more].map((signal) => once(process, signal)));
    // Closing a terminal may send the signal twice, from the terminal and from its runtime.
    for (const signal of more) process.on(signal, () => {});
    this.release();
    const [, number] = await asked;
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
    return 128 + Number(number);
  }
}

/** Milliseconds beyond the time for requests, after which the process ends even if the disposal of a service hangs. */
const END_LIMIT_MS = 5_000;

interface CrashEnding {
  readonly logger: Logger;
  readonly drainLimit: number;
  end(): Promise<unknown>;
}

/** From now on, an uncaught error or an unhandled rejection shuts the process down gracefully, after the project's own listeners. */
export function endOnCrash({ logger, drainLimit, end }: CrashEnding): void {
  let isEnding = false;
  process.on('uncaughtException', (thrown, origin) => {
    // A callback awaited `send` for a client that has disconnected.
    if (isConnectionEnded(thrown)) return;
    const what = origin === 'unhandledRejection' ? 'Unhandled rejection' : 'Uncaught error';
    const then = isEnding ? '' : ': the process finishes its running requests and exits with code 1';
    try {
      logger.fatal({ err: thrown }, `${what}${then}`);
    } catch {
      logSafely(logger, 'error', what, thrown);
    }
    // Another error meanwhile must not start a second shutdown.
    if (isEnding) return;
    isEnding = true;
    // Covers both ways to exit: nothing is left to wait for, or a shutdown is already running.
    process.exitCode = 1;
    setTimeout(() => process.exit(1), drainLimit + END_LIMIT_MS).unref();
    end().catch(() => process.exit(1));
  });
}
