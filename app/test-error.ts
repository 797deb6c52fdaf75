import { coded, type OwnCode } from '../kernel/index.js';
import { readMore } from '../kernel/internal.js';

/** What a test is told, and where its code is explained: test runners show the text of an error, and few of them its `code`. */
export const explained = (code: OwnCode, message: string): string =>
  [message, ...readMore([{ code }])].join('\n');

/** An error for a test, with its code. */
export const testError = (code: OwnCode, message: string, Kind: ErrorConstructor = Error): Error =>
  coded(code, new Kind(explained(code, message)));
