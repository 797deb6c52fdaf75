import { brand } from '../../../contributions/index.js';
import type { ProblemCode } from '../../../kernel/index.js';

/** Errors whose message says all by itself; by the name, `problemOf` of the kernel knows them. */
const complete = brand<Error>('fwkit.definition-error');

/**
 * A wrapper such as `get()` was given what it does not take. Where a module throws it, it is reported with file and line, and with
 * its message alone: that says what is wrong, and what to do.
 */
export class DefinitionError extends TypeError {
  constructor(
    message: string,
    /** Which kind of mistake it is. */
    readonly code: ProblemCode,
  ) {
    super(message);
    complete.mark(this);
  }
}
