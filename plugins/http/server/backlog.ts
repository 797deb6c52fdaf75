import type { Server } from 'node:net';

/** A socket that listens, as far as an end without lost connections needs it. */
export interface Backlog {
  /** Call `count` for each connection that is accepted. Gives a function that ends that. */
  onConnection(count: () => void): () => void;
  /** Have the system let no connection wait that does not wait already. */
  shrink(): void;
}

/** Not documented by Node: the socket. To `listen` again sets the length of the kernel's backlog. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number } | null;
}

export const backlogOf = (server: Server & Internals): Backlog => ({
  onConnection(count) {
    server.on('connection', count);
    return () => server.off('connection', count);
  },
  shrink: () => void server._handle?.listen?.(0),
});

/**
 * Accept what waits in the kernel's backlog before closing, because closing resets it. Each turn of the event loop, for which
 * `nextTurn` waits, accepts about one connection. The backlog takes no more meanwhile: clients that come now try again until
 * the closed server refuses them. Resolves when two turns accepted none, at the latest after `limit` milliseconds.
 */
export async function acceptWaiting(
  backlog: Backlog,
  nextTurn: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  let accepted = 0;
  const stop = backlog.onConnection(() => {
    accepted += 1;
  });
  backlog.shrink();
  const until = performance.now() + limit;
  // Two turns: in the first, the event loop may have looked for connections before one had come.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  stop();
}
