import { type Logger, messageOf, type ProblemCode } from '../kernel/index.js';

/** A sentence with the error code of a mistake in the project, or with other fields. */
interface LogText {
  readonly code?: ProblemCode;
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Log an error that no caller can catch, and the thrown value. Never throws: it may use the console. */
export function logSafely(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  given: string | LogText,
  ...thrown: unknown[]
): void {
  const isPlain = typeof given === 'string';
  const message = isPlain ? given : given.text;
  const fail = (failure: unknown): void => {
    const text = [message, ...thrown.map(messageOf)].join(': ');
    console.error(`${text} (it could not be logged: ${messageOf(failure)})`);
  };
  try {
    // Its type returns nothing, but an asynchronous function has that type, too.
    const fields = {
      ...(isPlain || given.code === undefined ? {} : { code: given.code }),
      ...(isPlain ? {} : given.fields),
      ...(thrown.length > 0 ? { err: thrown[0] } : {}),
    };
    const logged: unknown =
      isPlain && thrown.length === 0 ? logger[level](message) : logger[level](fields, message);
    if (logged instanceof Promise) logged.catch(fail);
  } catch (failure) {
    fail(failure);
  }
}
