import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardLater } from '../body/discard-rest.js';
import { hasBody } from '../body/read-body.js';
import type { HttpProblem } from '../request/http-error.js';

/**
 * Send a problem document (RFC 9457) without running any code of the project. A connection stays open unless a body would have
 * to be read first.
 */
export function sendRejection(
  raw: IncomingMessage,
  out: ServerResponse,
  { status, headers, problem }: HttpProblem,
): void {
  if (hasBody(raw)) {
    out.shouldKeepAlive = false;
    discardLater(raw, out);
  }
  const length = Buffer.byteLength(problem);
  out.writeHead(status, { ...headers, 'Content-Type': 'application/problem+json', 'Content-Length': length });
  out.end(problem);
}
