import { describeWithCode, readMore } from '../app/report-problems.js';
import { BootError, coded, type OwnCode } from '../kernel/index.js';

/** What a test is told, and where its code is explained: test runners show the text of an error, and few of them its `code`. */
export const explained = (code: OwnCode, message: string): string =>
  [message, ...readMore([{ code }])].join('\n');

/** An error for a test, with its code. */
export function testError(code: OwnCode, message: string, Kind: ErrorConstructor = Error): Error {
  const error = coded(code, new Kind(explained(code, message)));
  Error.captureStackTrace(error, testError);
  return error;
}

/** What was thrown; its message has the codes of the problems, too, where they keep a project from starting. */
export function withCodes(thrown: unknown): unknown {
  if (!(thrown instanceof BootError)) return thrown;
  const { message: plain, stack, problems } = thrown;
  const message = [...problems.map(describeWithCode), ...readMore(problems)].join('\n');
  // The stack begins with the message that was there when it was made.
  return Object.assign(thrown, { message, stack: stack?.replace(plain, () => message) });
}
