import { type Logger, messageOf } from '../../../kernel/index.js';

/**
 * Log where no caller is left to throw to, with what was thrown, if anything was. Never throws, though a logger may, and so
 * may formatting its arguments: then it writes to the console.
 */
export function logSafely(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  message: string,
  ...thrown: unknown[]
): void {
  const fail = (failure: unknown): void => {
    const text = [message, ...thrown.map(messageOf)].join(': ');
    console.error(`${text} (it could not be logged: ${messageOf(failure)})`);
  };
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown =
      thrown.length === 0 ? logger[level](message) : logger[level]({ err: thrown[0] }, message);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
