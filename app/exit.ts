import { setTimeout } from 'node:timers/promises';

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
    await setTimeout(SLICE_MS);
    const { user, system } = process.cpuUsage(before);
    quiet = user + system < QUIET_US ? quiet + 1 : 0;
  }
}

/** End the process with `status`, or with 1 where it has crashed meanwhile. */
export function exitWith(status: number): never {
  process.exitCode ||= status;
  process.exit();
}
