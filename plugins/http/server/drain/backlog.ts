import { connect, type Socket } from 'node:net';

/** A listening socket of Node, which is undocumented. In a worker, it stands for a socket of the primary. */
export interface ListeningHandle {
  /** Undefined if another process listens for this one. */
  readonly fd?: number;
  onconnection(error: number, connection: object | undefined): void;
  /** Calling it again sets the length of the kernel's backlog. */
  listen(backlog: number): number;
  /** Leaves `out` empty if it is closed. */
  getsockname?(out: { address?: string; port?: number }): number;
}
interface ConnectionInternals {
  /** Returns 0 if it is connected. */
  readonly _handle?: { getpeername?(out: object): number } | null;
}

/** The most attempts to occupy the last place in the backlog. One is usually enough; under load, it takes more. */
const MAX_ATTEMPTS = 20;

/**
 * Accept the connections that wait in the kernel's backlog, then close the socket, because closing resets waiting
 * connections. Each turn of the event loop, which `nextTurn` waits for, accepts about one connection. Meanwhile the backlog
 * is full: new clients retry until the closed server refuses them. Closes when two turns have accepted none, after `limit`
 * milliseconds at the latest.
 */
export async function closeWhenEmpty(
  handle: ListeningHandle,
  close: () => void,
  nextTurn: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  let accepted = 0;
  const { onconnection } = handle;
  handle.onconnection = (error, connection) => {
    accepted += 1;
    onconnection.call(handle, error, connection);
  };
  // From now on, only one connection can wait in addition to the connections that are already waiting.
  handle.listen(0);
  const until = performance.now() + limit;
  // Two turns, because in the first one, the event loop may have polled before a connection arrived.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  if (handle.fd !== undefined && process.platform === 'linux')
    for (let attempt = 0; attempt < MAX_ATTEMPTS && performance.now() < until; attempt += 1) {
      if (await closeAfterOwnConnection(handle, close)) return;
      await nextTurn();
    }
  close();
}

/**
 * Close the socket while a connection of this process occupies the only place in the backlog. Then nobody else is waiting,
 * and nobody can connect between the last check and the close, which under load happens to one client in some thousand. On
 * Linux, a connection to the same machine is established synchronously. Resolves with whether the socket was closed.
 */
function closeAfterOwnConnection(handle: ListeningHandle, close: () => void): Promise<boolean> {
  const out: { address?: string; port?: number } = {};
  handle.getsockname?.(out);
  const { address, port = 0 } = out;
  const host = address === '::' ? '::1' : address === '0.0.0.0' ? '127.0.0.1' : address;
  return new Promise<boolean>((resolve) => {
    const own: Socket & ConnectionInternals = connect({ host, port }).on('error', () => {});
    // Node connects in the next tick.
    process.nextTick(() => {
      const isLast = own._handle?.getpeername?.({}) === 0;
      if (isLast) close();
      own.destroy();
      resolve(isLast);
    });
  });
}
