import type { ServerResponse } from 'node:http';
import { coded } from '../../../kernel/index.js';

/** A WeakMap, because few responses have a nonce. */
const nonces = new WeakMap<ServerResponse, string>();

export const readNonceOf = (out: ServerResponse): string | undefined => nonces.get(out);

/** The error message for reading the nonce of a response that would be reused for other requests. */
const refused = new WeakMap<ServerResponse, string>();

export const refuseNonce = (out: ServerResponse, why: string): void => void refused.set(out, why);

/** The nonce of a response, created on first access: 128 bits in Base64 (CSP 3 §2.3.1). Throws if it was refused. */
export function nonceOf(out: ServerResponse): string {
  const why = refused.get(out);
  if (why !== undefined) throw coded('FWK408', new Error(why));
  // Uses the global `crypto`, because loading Node's module takes 5 ms.
  const nonce = nonces.get(out) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  nonces.set(out, nonce);
  return nonce;
}
