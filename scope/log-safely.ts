import { type Logger, messageOf, type ProblemCode } from '../kernel/index.js';

/** What a mistake of the project is told by: a sentence, and the code that leads to more. */
export interface Told {
  readonly code: ProblemCode;
  readonly text: string;
}

/**
 * Log where no caller is left to throw to, with what was thrown, if anything was. Never throws, though a logger may, and so
 * may formatting its arguments: then it writes to the console.
 */
export function logSafely(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  said: string | Told,
  ...thrown: unknown[]
): void {
  const isPlain = typeof said === 'string';
  const message = isPlain ? said : said.text;
  const fail = (failure: unknown): void => {
    const text = [message, ...thrown.map(messageOf)].join(': ');
    console.error(`${text} (it could not be logged: ${messageOf(failure)})`);
  };
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const fields = {
      ...(isPlain ? {} : { code: said.code }),
      ...(thrown.length > 0 ? { err: thrown[0] } : {}),
    };
    const logged: unknown =
      isPlain && thrown.length === 0 ? logger[level](message) : logger[level](fields, message);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
