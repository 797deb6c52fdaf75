import { type Logger, messageOf } from '../../kernel/index.js';

/** Log what failed where nobody is left to be told. Never throws: a logger may be anybody's. */
export function logFailure(logger: Logger, message: string, thrown: unknown): void {
  try {
    logger.error(message, thrown);
  } catch (failure) {
    console.error(`${message} ${messageOf(thrown)} (it could not be logged: ${messageOf(failure)})`);
  }
}
