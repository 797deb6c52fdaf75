import { type Logger, messageOf } from '../../kernel/index.js';

/**
 * Log what failed where nobody is left to be told. Never throws: a logger may be anybody's, and what it is given too. One that
 * fails must not take the rest with it.
 */
export function logFailure(
  logger: Logger,
  message: string,
  thrown: unknown,
  level: 'warn' | 'error' = 'error',
): void {
  const fail = (failure: unknown): void =>
    console.error(`${message} ${messageOf(thrown)} (it could not be logged: ${messageOf(failure)})`);
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown = logger[level](message, thrown);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
