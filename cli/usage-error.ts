import type { ProblemCode } from '../kernel/internal.js';

/** A command line that cannot be run. Its code and message are all that people see. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly code: ProblemCode,
  ) {
    super(message);
  }
}
