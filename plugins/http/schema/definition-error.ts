import { brand } from '../../../contributions/index.js';
import type { ProblemCode } from '../../../kernel/index.js';

/** `problemOf` in the kernel recognizes this brand and reports the message without a prefix. */
const complete = brand<Error>('fwkit.definition-error');

/**
 * A wrapper such as `get()` was called with invalid arguments. If a module throws it while it is imported, fwk reports the
 * file, the line and only this message, so the message must contain the problem and the fix.
 */
export class DefinitionError extends TypeError {
  constructor(
    message: string,
    /** The error code, which has a section in the error pages. */
    readonly code: ProblemCode,
  ) {
    super(message);
    complete.mark(this);
  }
}
