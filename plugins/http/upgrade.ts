import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Have `out` answer on a connection that Node has handed over with `upgrade`, and close the connection then. Gives false,
 * and cuts the connection, where an earlier response is still on it: no client sends a handshake before it has that.
 */
export function answerOn(socket: Duplex, out: ServerResponse): boolean {
  try {
    out.assignSocket(socket as Socket);
  } catch {
    socket.destroy();
    return false;
  }
  out.once('finish', () => hangUp(socket));
  return true;
}

/** Answer there with a head alone, `503 Service Unavailable` and what headers follow, and close the connection. */
export const refuseOn = (socket: Duplex, head: string): void =>
  hangUp(socket, `HTTP/1.1 ${head}\r\nConnection: close\r\n\r\n`);

/** Node does not watch it any more: a client that keeps its side open would keep the process from ending. */
const hangUp = (socket: Duplex, last?: string): void => void socket.end(last, () => socket.destroy());
