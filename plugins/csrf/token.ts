import { coded } from '../../kernel/index.js';
import { sessionOf } from '../context/internal.js';
import type { AnyRequest } from '../http/index.js';

export const PURPOSE = 'csrf';

/** The form field, and the base of the header, that contain a token. */
export const FIELD = '_csrf';
export const HEADER = 'x-csrf-token';

/** A proof is an HMAC-SHA-256. */
const PROOF_BYTES = 32;

/**
 * A token that proves that a request comes from a page served to this visitor. Sent back in the
 * header `X-CSRF-Token`, or in the form field `_csrf`, it allows a request whose headers do not
 * reveal its origin. It is valid as long as the session. Each call returns a different text, so
 * that a compressed page does not leak the token (BREACH). Throws if the request has no visitor.
 */
export function csrfToken(req: AnyRequest): string {
  const [proof] = sessionOf(req)?.proofs?.(PURPOSE) ?? [];
  if (proof === undefined)
    throw coded(
      'FWK311',
      new Error('csrfToken() needs a session: provide a value with the lifetime "session"'),
    );
  // The global `crypto`: Node's crypto module takes 5 ms to load.
  const mask = crypto.getRandomValues(new Uint8Array(PROOF_BYTES));
  return Buffer.concat([mask, xor(mask, Buffer.from(proof, 'base64url'))]).toString('base64url');
}

/** HTML of a hidden field with a token: `<input type="hidden" …>`. Throws if the request has no visitor. */
export const csrfField = (req: AnyRequest): string =>
  `<input type="hidden" name="${FIELD}" value="${csrfToken(req)}">`;

export function proofIn(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 2 * PROOF_BYTES) return undefined;
  return xor(bytes.subarray(0, PROOF_BYTES), bytes.subarray(PROOF_BYTES));
}

const xor = (a: Uint8Array, b: Uint8Array): Buffer =>
  Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
