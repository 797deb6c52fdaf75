import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpProblem } from './http-error.js';

/**
 * Entries of `rawHeaders`, names and values, that Node keeps of a request: those of 1,000 lines. Of more, version 20 and
 * earlier releases of 22 and 24 leave out the rest without a word: a length or a token may be among it. Newer ones
 * answer 431 themselves.
 */
export const MAX_RAW_HEADER_ENTRIES = 2_000;

const CLOSE = { Connection: 'close' };

const TOO_MANY_LINES = new HttpProblem(
  431,
  'The request has more than 1,000 header lines, or more than this server keeps',
  undefined,
  CLOSE,
);

const CHUNKED_IN_HTTP_1_0 = new HttpProblem(
  400,
  'A request of HTTP/1.0 has no Transfer-Encoding: send its Content-Length',
  undefined,
  CLOSE,
);

/** Problems of connections with a request that was not read as it was sent: later bytes may be its body. */
const problems = new WeakMap<Duplex, HttpProblem>();

/**
 * Why the head of a request must not be acted on. No reason is found where it has at most `MAX_RAW_HEADER_ENTRIES`, is of HTTP/1.1,
 * waits behind no other and comes from a server of this process's own: a caller that knows so need not call this.
 */
export function headProblem(raw: IncomingMessage): HttpProblem | undefined {
  const problem = problems.get(raw.socket) ?? reasonIn(raw);
  if (problem !== undefined) problems.set(raw.socket, problem);
  return problem;
}

function reasonIn(raw: IncomingMessage): HttpProblem | undefined {
  if (raw.rawHeaders.length > MAX_RAW_HEADER_ENTRIES || wasCut(raw)) return TOO_MANY_LINES;
  // A proxy in front may have read another end of it (RFC 9112 §6.1).
  if (raw.httpVersion === '1.0' && raw.headers['transfer-encoding'] !== undefined) return CHUNKED_IN_HTTP_1_0;
  return undefined;
}

/** Whether a server around this one, with a limit of its own, may have left lines out. */
function wasCut({ rawHeaders, socket }: IncomingMessage): boolean {
  const server: unknown = socket !== null && 'server' in socket ? socket.server : undefined;
  if (typeof server !== 'object' || server === null || !('maxHeadersCount' in server)) return false;
  const { maxHeadersCount } = server;
  return (
    typeof maxHeadersCount === 'number' && maxHeadersCount > 0 && rawHeaders.length >= 2 * maxHeadersCount
  );
}
