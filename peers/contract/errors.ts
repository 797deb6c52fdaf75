import { brand } from '../../kernel/brand.js';

/** Thrown where something that is needed is away for now. A request is answered with 503 and `Retry-After` then. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Seconds after which it may be there again. */
  readonly retryAfter: number;

  constructor(message: string, { retryAfter = 1, cause }: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/** Thrown where a lock was not to be had in time. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken';
}

const unavailable = brand<Unavailable>('fwkit.unavailable');
unavailable.mark(Unavailable.prototype);
const lockTaken = brand<LockTaken>('fwkit.lockTaken');
lockTaken.mark(LockTaken.prototype);

/** Whether it is an Unavailable. Also true of one that another copy of this package made. */
export const isUnavailable: (thrown: unknown) => thrown is Unavailable = unavailable.has;

/** Whether it is a LockTaken. Also true of one that another copy of this package made. */
export const isLockTaken: (thrown: unknown) => thrown is LockTaken = lockTaken.has;
