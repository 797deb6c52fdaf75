import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './read-body.js';

/** Responses to requests that wait to be told that their body is wanted. */
const awaited = new WeakSet<ServerResponse>();

/**
 * Take a request with `Expect: 100-continue` (RFC 9110 §10.1.1) without answering that yet: who refuses it is spared its body.
 * For the `checkContinue` event of a server of one's own; all other servers have answered.
 */
export function awaitContinue(raw: IncomingMessage, out: ServerResponse): void {
  if (hasBody(raw)) awaited.add(out);
  // There is nothing to wait for, and an answer without it would end the connection.
  else out.writeContinue();
}

/** The body is wanted: have it sent, where that is waited for. */
export function sendContinue(out: ServerResponse): void {
  if (awaited.delete(out) && !out.headersSent) out.writeContinue();
}
