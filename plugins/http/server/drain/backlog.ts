import { type AddressInfo, connect, type Server, type Socket } from 'node:net';

export interface ListeningSocket {
  /** Where it listens; undefined where another process does so for this one. */
  readonly address: Pick<AddressInfo, 'address' | 'port'> | undefined;
  /** Call `count` for each connection that is accepted. Gives a function that ends that. */
  onConnection(count: () => void): () => void;
  /** Have the system let one connection wait at most, beside those that wait already. */
  shrink(): void;
  close(): void;
}

/** What Node does not document: the socket. To `listen` again sets the length of the kernel's backlog. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number; readonly fd?: number } | null;
}
interface ConnectionInternals {
  /** Gives 0 where it is connected. */
  readonly _handle?: { getpeername?(out: object): number } | null;
}

/** How often a connection is made to have the last place. It takes about one, and no more than some where many come. */
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
 * Accept what waits in the kernel's backlog, then close, because closing resets what waits. Each turn of the event loop, for which
 * `nextTurn` waits, accepts about one connection. The backlog takes no more meanwhile: clients that come now try again until
 * the closed server refuses them. It closes when two turns accepted none, at the latest after `limit` milliseconds.
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
  // Two turns: in the first, the event loop may have looked for connections before one had come.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  stop();
  const { address } = socket;
  if (address && process.platform === 'linux')
    for (let attempt = 0; attempt < MAX_ATTEMPTS && performance.now() < until; attempt += 1) {
      if (await closeBehindOwn(socket, address)) return;
      await nextTurn();
    }
  socket.close();
}

/**
 * Close where the one place of the backlog is taken by a connection of this process: then nobody else waits, and nobody can come
 * between the last look and the end, which under load is one client in some thousand. On Linux a connection to this machine is made
 * within the call. Resolves with whether it was closed.
 */
function closeBehindOwn(socket: ListeningSocket, { address, port }: { address: string; port: number }) {
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
