import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from './errors.js';
import { headRefusal } from './heads.js';

/** Whether it is a WebSocket that a request asks for (RFC 6455 §4.2.1). Any other upgrade it only offers. */
export const isHandshake = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Ignore an upgrade that nobody here speaks (RFC 9110 §7.8), after Node has handed its connection over: that begins anew
 * on `node` with the request as if it had offered nothing, with its body and what follows. For a server of one's own.
 */
export function ignoreUpgrade(node: Server, raw: IncomingMessage, socket: Duplex, head: Buffer): void {
  const refusal = headRefusal(raw);
  // Without the lines that Node left out it would be another request, and its body might be the next one.
  if (refusal !== undefined) return refuseOn(raw, socket, refusal);
  const probe = new ServerResponse(raw);
  if (!assign(probe, socket)) return;
  probe.detachSocket(socket as Socket);
  const lines = [`${raw.method} ${raw.url} HTTP/${raw.httpVersion}`];
  const { rawHeaders } = raw;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!/^upgrade$/i.test(rawHeaders[index] ?? ''))
      lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  // Node reads header fields as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  node.emit('connection', socket);
}

/**
 * Have `out` answer on a connection that Node has handed over with `upgrade`, and close the connection then. Gives false,
 * and cuts the connection, where an earlier response is still on it: no client sends a handshake before it has that.
 */
export function answerOn(socket: Duplex, out: ServerResponse): boolean {
  if (!assign(out, socket)) return false;
  out.once('finish', () => hangUp(socket));
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
export function refuseOn(raw: IncomingMessage, socket: Duplex, { status, problem, headers }: Refusal): void {
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
  refuseOn(raw, socket, new Refusal(501, 'This is no proxy: CONNECT is not answered here'));
}

/** Node does not watch it any more: a client that keeps its side open would keep the process from ending. */
const hangUp = (socket: Duplex): void => void socket.end(() => socket.destroy());
