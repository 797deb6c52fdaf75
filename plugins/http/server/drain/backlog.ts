import { type AddressInfo, connect, type Server, type Socket } from 'node:net';

export interface ListeningSocket {
  /** The address it listens on; undefined if another process listens for this one. */
  readonly address: Pick<AddressInfo, 'address' | 'port'> | undefined;
  /** Call `count` for each accepted connection. Returns a function that stops this. */
  onConnection(count: () => void): () => void;
  /** Limit the backlog to one connection, in addition to the connections that are already waiting. */
  shrink(): void;
  close(): void;
}

/** Undocumented fields of Node. Calling `listen` again sets the length of the kernel's backlog. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number; readonly fd?: number } | null;
}
interface ConnectionInternals {
  /** Returns 0 if it is connected. */
  readonly _handle?: { getpeername?(out: object): number } | null;
}

/** The most attempts to occupy the last place in the backlog. One is usually enough; under load, it takes more. */
const MAX_ATTEMPTS = 20;

export const listeningSocketOf = (server: Server & Internals, close: () => void): ListeningSocket => {
  const address = server.address();
  const isOwn = server._handle?.fd !== undefined;
  return {
    address: isOwn && typeof address === 'object' ? (address ?? undefined) : undefined,
    onConnection(count) {
      server.on('connection', count);
      return () => server.off('connection', count);
    },
    shrink: () => void server._handle?.listen?.(0),
    close,
  };
};

/**
 * Accept the connections that wait in the kernel's backlog, then close the socket, because closing resets waiting
 * connections. Each turn of the event loop, which `nextTurn` waits for, accepts about one connection. Meanwhile the backlog
 * is full: new clients retry until the closed server refuses them. Closes when two turns have accepted none, after `limit`
 * milliseconds at the latest.
 */
export async function closeWhenEmpty(
  socket: ListeningSocket,
  nextTurn: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  let accepted = 0;
  const stop = socket.onConnection(() => {
    accepted += 1;
  });
  socket.shrink();
  const until = performance.now() + limit;
  // Two turns, because in the first one, the event loop may have polled before a connection arrived.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  stop();
  const { address } = socket;
  if (address && process.platform === 'linux')
    for (let attempt = 0; attempt < MAX_ATTEMPTS && performance.now() < until; attempt += 1) {
      if (await closeAfterOwnConnection(socket, address)) return;
      await nextTurn();
    }
  socket.close();
}

/**
 * Close the socket while a connection of this process occupies the only place in the backlog. Then nobody else is waiting,
 * and nobody can connect between the last check and the close, which under load happens to one client in some thousand. On
 * Linux, a connection to the same machine is established synchronously. Resolves with whether the socket was closed.
 */
function closeAfterOwnConnection(
  socket: ListeningSocket,
  { address, port }: { address: string; port: number },
) {
  const host = address === '::' ? '::1' : address === '0.0.0.0' ? '127.0.0.1' : address;
  return new Promise<boolean>((resolve) => {
    const own: Socket & ConnectionInternals = connect({ host, port }).on('error', () => {});
    // Node connects in the next tick.
    process.nextTick(() => {
      const isLast = own._handle?.getpeername?.({}) === 0;
      if (isLast) socket.close();
      own.destroy();
      resolve(isLast);
    });
  });
}
