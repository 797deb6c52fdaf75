import { hasPage, type ProblemCode } from '../../../kernel/index.js';

/** Where the page of a code is, while the project is developed; undefined for that of a plugin from elsewhere. */
export const manualUrl = (code: ProblemCode | undefined): string | undefined =>
  hasPage(code) ? `/_fwk/manual/errors/${code}` : undefined;

/** The members of a problem document that say which mistake it is (RFC 9457 §3.1.1): a URI, and the code in it. */
export const problemType = (code: ProblemCode | undefined): { type?: string; code?: ProblemCode } => {
  const type = manualUrl(code);
  return { ...(type && { type }), ...(code && { code }) };
};
