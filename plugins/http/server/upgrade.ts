import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HttpProblem } from '../errors/errors.js';

/**
 * Have `out` answer on a connection that Node has handed over with `upgrade`, and close the connection then. Gives false,
 * and cuts the connection, where an earlier response is still on it: no client sends a handshake before it has that.
 */
export function answerOn(socket: Duplex, out: ServerResponse): boolean {
  if (!assign(out, socket)) return false;
  // Node tells it no more when more can be written: what is large, or never ends, would wait for that for ever.
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

/** Refuse a request there, and close the connection. */
export function refuseOn(
  raw: IncomingMessage,
  socket: Duplex,
  { status, problem, headers }: HttpProblem,
): void {
  const out = new ServerResponse(raw);
  // Written past it, a refusal would be taken for the answer to the request before.
  if (!answerOn(socket, out)) return;
  out.writeHead(status, {
    ...headers,
    Connection: 'close',
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(problem),
  });
  out.end(problem);
}

/** For `connect` of a server of one's own: where nobody listens, Node closes the connection without a word. */
export function refuseConnect(raw: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  refuseOn(raw, socket, new HttpProblem(501, 'This is not a proxy: CONNECT is not answered here'));
}

/** Node does not watch it any more: a client that keeps its side open would keep the process from ending. */
const hangUp = (socket: Duplex): void => void socket.end(() => socket.destroy());
