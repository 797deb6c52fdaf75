import type { IncomingMessage, ServerResponse } from 'node:http';

/** Responses to requests that wait to be told that their body is wanted. */
const awaited = new WeakSet<ServerResponse>();

/**
 * Take a request with `Expect: 100-continue` (RFC 9110 §10.1.1) without answering that yet: who refuses it is spared its body.
 * For the `checkContinue` event of a server of one's own; all other servers have answered.
 */
export const awaitContinue = (_raw: IncomingMessage, out: ServerResponse): void => void awaited.add(out);

/** The body is wanted: have it sent, where that is waited for. */
export function sendContinue(out: ServerResponse): void {
  if (awaited.delete(out) && !out.headersSent) out.writeContinue();
}
