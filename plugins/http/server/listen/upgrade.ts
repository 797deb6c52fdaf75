import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HttpProblem } from '../../request/http-error.js';

/**
 * Have `out` answer on a connection that Node has handed over with `upgrade`, and close the connection then. Gives false,
 * and cuts the connection, where an earlier response is still on it: no client sends a handshake before it has that.
 */
export function answerOn(socket: Duplex, out: ServerResponse): boolean {
  if (!assign(out, socket)) return false;
  // Node emits its `drain` no more: a large response, or one without an end, would wait for it for ever.
  const drained = (): void => void out.emit('drain');
  socket.on('drain', drained);
  out.once('close', () => socket.off('drain', drained)).once('finish', () => hangUp(socket));
  return true;
}

function assign(out: ServerResponse, socket: Duplex): boolean {
  try {
    out.assignSocket(socket as Socket);
    return true;
  } catch {
    socket.destroy();
    return false;
  }
}

/** Answer a request there with a problem document (RFC 9457), and close the connection. */
export function sendProblemOn(
  raw: IncomingMessage,
  socket: Duplex,
  { status, problem, headers }: HttpProblem,
): void {
  const out = new ServerResponse(raw);
  // Written past it, the problem would be read as the response to the request before.
  if (!answerOn(socket, out)) return;
  out.writeHead(status, {
    ...headers,
    Connection: 'close',
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(problem),
  });
  out.end(problem);
}

/** For `connect` of a server of this process's own: where nothing listens, Node closes the connection without a response. */
export function rejectConnect(raw: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  sendProblemOn(raw, socket, new HttpProblem(501, 'This is not a proxy: CONNECT is not answered here'));
}

/** Node does not watch the socket any more: a client that keeps its side open would keep the process from ending. */
const hangUp = (socket: Duplex): void => void socket.end(() => socket.destroy());
