import type { ServerResponse } from 'node:http';

/** Few responses have one. */
const nonces = new WeakMap<ServerResponse, string>();

/** The nonce of a response; undefined where it has not been read. */
export const readNonceOf = (out: ServerResponse): string | undefined => nonces.get(out);

/** The nonce of a response, made when it is first asked for: 128 bits in Base64 (CSP 3 §2.3.1). */
export function nonceOf(out: ServerResponse): string {
  // By the global, since Node's module for it takes 5 ms to load.
  const nonce = nonces.get(out) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  nonces.set(out, nonce);
  return nonce;
}
