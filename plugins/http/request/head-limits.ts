import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasOddHost, hostProblem } from './forwarded.js';
import { HttpProblem } from './http-error.js';

/**
 * The number of entries in `rawHeaders`, names and values, that Node keeps for a request: 1,000 lines. Version 20 and earlier
 * releases of 22 and 24 silently drop further lines, among which may be a Content-Length or a token. Newer versions respond
 * with 431.
 */
export const MAX_RAW_HEADER_ENTRIES = 2_000;

const CLOSE = { Connection: 'close' };

const TOO_MANY_LINES = new HttpProblem(
  431,
  'The request has too many header lines: the limit is 1,000 or the limit of this server',
  undefined,
  CLOSE,
);

const CHUNKED_IN_HTTP_1_0 = new HttpProblem(
  400,
  'HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length',
  undefined,
  CLOSE,
);

/** Problems of connections with a request that was not parsed as it was sent: later bytes may belong to its body. */
const problems = new WeakMap<Duplex, HttpProblem>();

/**
 * The reason to reject the head of a request. Undefined for any HTTP/1.1 request with at most `MAX_RAW_HEADER_ENTRIES`
 * entries and a valid Host that is alone on its connection and comes from a server that this process owns, so the caller may skip the call.
 */
export function headProblem(raw: IncomingMessage): HttpProblem | undefined {
  const problem = problems.get(raw.socket) ?? reasonIn(raw);
  if (problem !== undefined) problems.set(raw.socket, problem);
  return problem;
}

function reasonIn(raw: IncomingMessage): HttpProblem | undefined {
  if (raw.rawHeaders.length > MAX_RAW_HEADER_ENTRIES || wasCut(raw)) return TOO_MANY_LINES;
  // A proxy in front may have seen a different end of this request (RFC 9112 §6.1).
  if (raw.httpVersion === '1.0' && raw.headers['transfer-encoding'] !== undefined) return CHUNKED_IN_HTTP_1_0;
  return hasOddHost(raw.rawHeaders) ? hostProblem(raw) : undefined;
}

/** Whether a server around this one, with its own limit, may have dropped header lines. */
function wasCut({ rawHeaders, socket }: IncomingMessage): boolean {
  const server: unknown = socket !== null && 'server' in socket ? socket.server : undefined;
  if (typeof server !== 'object' || server === null || !('maxHeadersCount' in server)) return false;
  const { maxHeadersCount } = server;
  return (
    typeof maxHeadersCount === 'number' && maxHeadersCount > 0 && rawHeaders.length >= 2 * maxHeadersCount
  );
}
