import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './read-body.js';

/** Responses to requests that wait for `100 Continue` before they send their body. */
const awaited = new WeakSet<ServerResponse>();

/**
 * Take a request with `Expect: 100-continue` (RFC 9110 §10.1.1) without sending `100 Continue` yet: a request that is
 * answered with an error need not send its body. For the `checkContinue` event of a server of this process's own; any
 * other server has sent it.
 */
export function awaitContinue(raw: IncomingMessage, out: ServerResponse): void {
  if (hasBody(raw)) awaited.add(out);
  // There is nothing to wait for, and an answer without it would end the connection.
  else out.writeContinue();
}

/** Send `100 Continue` where the client waits for it: the body is read now. */
export function sendContinue(out: ServerResponse): void {
  if (awaited.delete(out) && !out.headersSent) out.writeContinue();
}
