import type { OwnCode, ProblemCode } from './codes.js';

/** A code as `ProblemCode` has it: what libraries and Node throw has codes of other forms. */
const CODE = /^(?:FWK\d{3}|[A-Z][A-Z0-9_]*-\d+)$/;

/** `error`, with the code of a mistake that it points at: shown where it is reported, and a field of logs in JSON. */
export const coded = <E extends Error>(code: ProblemCode, error: E): E & { code: ProblemCode } =>
  Object.assign(error, { code });

/** The code of a thrown value; undefined where it has none. Never throws. */
export function codeOf(thrown: unknown): ProblemCode | undefined {
  try {
    if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
    const { code } = thrown;
    return isCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a code is one of fwkit, which all have a page. A plugin in JavaScript may have given anything. */
export const hasPage = (code: ProblemCode | undefined): code is OwnCode =>
  isCode(code) && code.startsWith('FWK');

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && CODE.test(code);
