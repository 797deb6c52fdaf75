import { type Logger, messageOf } from '../../../kernel/index.js';

/**
 * Log where nobody is left to be told. Never throws: a logger may be anybody's, and what it is given too. One that fails
 * must not take the rest with it.
 */
export function logSafely(
  logger: Logger,
  level: 'warn' | 'error',
  message: string,
  ...details: unknown[]
): void {
  const fail = (failure: unknown): void => {
    const told = [message, ...details.map(messageOf)].join(' ');
    console.error(`${told} (it could not be logged: ${messageOf(failure)})`);
  };
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown = logger[level](message, ...details);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
