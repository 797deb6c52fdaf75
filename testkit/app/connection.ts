import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { memoryConnections } from '../../plugins/http/index.js';

/** Where a test app is, for its clients. */
export const ORIGIN = 'http://localhost';

/** What handlers see of the connections of tests: those of a client on this machine. */
export const ENDS = {
  remoteAddress: '127.0.0.1',
  remoteFamily: 'IPv4',
  remotePort: 49_152,
  localAddress: '127.0.0.1',
  localPort: 80,
};

export interface SocketSettings {
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** Opens a WebSocket to the app, over a connection in memory. `path` may have a query. */
export type OpenSocket = (path: string, settings: SocketSettings) => WebSocket;

/** Gives what opens sockets to `server`: the client is that of the package `ws`, the handshake a real one. */
export async function socketsTo(server: Server): Promise<OpenSocket> {
  const [{ WebSocket }, connectTo] = await Promise.all([import('ws'), memoryConnections()]);
  // It asks for the sockets of `node:net` by type, and uses what all streams have.
  const createConnection = () => connectTo(server, ENDS) as Socket;
  return (path, { headers, protocols = [] }) => {
    const url = new URL(path, ORIGIN);
    url.protocol = 'ws:';
    return new WebSocket(url, [...protocols], { headers, createConnection });
  };
}
