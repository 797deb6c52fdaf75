import type { ServerResponse } from 'node:http';
import { coded } from '../../../kernel/index.js';

/** Few responses have one. */
const nonces = new WeakMap<ServerResponse, string>();

export const readNonceOf = (out: ServerResponse): string | undefined => nonces.get(out);

/** What reading the nonce of a response says, where it would be that of others, too. */
const refused = new WeakMap<ServerResponse, string>();

export const refuseNonce = (out: ServerResponse, why: string): void => void refused.set(out, why);

/** The nonce of a response, made when it is first asked for: 128 bits in Base64 (CSP 3 §2.3.1). Throws where it was refused. */
export function nonceOf(out: ServerResponse): string {
  const why = refused.get(out);
  if (why !== undefined) throw coded('FWK408', new Error(why));
  // By the global, since Node's module for it takes 5 ms to load.
  const nonce = nonces.get(out) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  nonces.set(out, nonce);
  return nonce;
}
