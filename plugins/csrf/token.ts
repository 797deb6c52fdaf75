import { coded } from '../../kernel/index.js';
import { sessionOf } from '../context/internal.js';
import type { AnyRequest } from '../http/index.js';

export const PURPOSE = 'csrf';

/** The field of a form, and the header, in which a token is sent. */
export const FIELD = '_csrf';
export const HEADER = 'x-csrf-token';

/** A proof is an HMAC-SHA-256. */
const PROOF_BYTES = 32;

/**
 * A token that proves to come from a page which this visitor was served: sent back in the header `X-CSRF-Token`, or in the
 * field `_csrf` of a form, it lets the request of a browser pass that does not say where it comes from. It is valid as long
 * as the session, and each call gives another text, so that a compressed page does not leak it (BREACH). Throws where no
 * visitor is served.
 */
export function csrfToken(req: AnyRequest): string {
  const [proof] = sessionOf(req)?.proofs?.(PURPOSE) ?? [];
  if (proof === undefined)
    throw coded(
      'FWK311',
      new Error('csrfToken() needs a session: provide a value with the lifetime "session"'),
    );
  // The global one: Node's crypto module takes 5 ms to load.
  const mask = crypto.getRandomValues(new Uint8Array(PROOF_BYTES));
  return Buffer.concat([mask, xor(mask, Buffer.from(proof, 'base64url'))]).toString('base64url');
}

/** A hidden field with a token, as HTML, for a form in a page: `<input type="hidden" name="_csrf" value="…">`. Throws where no visitor is served. */
export const csrfField = (req: AnyRequest): string =>
  `<input type="hidden" name="${FIELD}" value="${csrfToken(req)}">`;

export function proofIn(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 2 * PROOF_BYTES) return undefined;
  return xor(bytes.subarray(0, PROOF_BYTES), bytes.subarray(PROOF_BYTES));
}

const xor = (a: Uint8Array, b: Uint8Array): Buffer =>
  Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
