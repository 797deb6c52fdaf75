import { describeWithCode, readMore } from '../app/report-problems.js';
import { BootError, coded, type OwnCode } from '../kernel/index.js';

/** A message for a test, and the command that explains its code: test runners show the text of an error, but rarely its `code`. */
export const explained = (code: OwnCode, message: string): string =>
  [message, ...readMore([{ code }])].join('\n');

export function testError(code: OwnCode, message: string, Kind: ErrorConstructor = Error): Error {
  const error = coded(code, new Kind(explained(code, message)));
  Error.captureStackTrace(error, testError);
  return error;
}

/** The thrown value. If problems keep a project from starting, the message gets their codes, too. */
export function withCodes(thrown: unknown): unknown {
  if (!(thrown instanceof BootError)) return thrown;
  const { message: plain, stack, problems } = thrown;
  const message = [...problems.map(describeWithCode), ...readMore(problems)].join('\n');
  // The stack begins with the original message.
  return Object.assign(thrown, { message, stack: stack?.replace(plain, () => message) });
}
