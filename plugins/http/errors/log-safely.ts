import { type Logger, messageOf } from '../../../kernel/index.js';

/**
 * Log where no caller is left to throw to. Never throws, though a logger may, and so may formatting its arguments: then it
 * writes to the console.
 */
export function logSafely(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  message: string,
  ...details: unknown[]
): void {
  const fail = (failure: unknown): void => {
    const text = [message, ...details.map(messageOf)].join(' ');
    console.error(`${text} (it could not be logged: ${messageOf(failure)})`);
  };
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown = logger[level](message, ...details);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
