import { type Logger, logSafely } from '../../kernel/index.js';

import type { AccessFields } from './access-fields.js';

/** Write a line of the access log where nobody is left to hear that a project's own logger throws, or rejects. */
export function logAccess(logger: Logger, fields: AccessFields, message: string): void {
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown = logger.info(fields, message);
    if (logged instanceof Promise) logged.catch((thrown) => fail(logger, thrown));
  } catch (thrown) {
    fail(logger, thrown);
  }
}

const fail = (logger: Logger, thrown: unknown): void =>
  logSafely(logger, 'error', 'A line of the access log could not be written', thrown);
