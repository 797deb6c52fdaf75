import { inspect } from 'node:util';
import { coded, type LockOptions } from '../../kernel/index.js';

/** How long to wait for a lock where nothing else is said, in milliseconds. */
const LOCK_WAIT_MS = 10_000;

/**
 * For how many milliseconds a lock is waited for. Throws TypeError for a name or a time that is none: with `NaN` one would wait for ever,
 * or not at all.
 */
export function waitOf(name: unknown, { wait = LOCK_WAIT_MS }: LockOptions = {}): number {
  if (typeof name !== 'string')
    throw wrong(`The name of a lock is a text, and ${inspect(name, { depth: 0 })} is none`);
  if (typeof wait !== 'number' || Number.isNaN(wait))
    throw wrong(
      `The lock "${name}" takes { wait }, a number of milliseconds, and ${inspect(wait, { depth: 0 })} is none`,
    );
  return Math.max(wait, 0);
}

const wrong = (message: string): TypeError => coded('FWK803', new TypeError(message));
