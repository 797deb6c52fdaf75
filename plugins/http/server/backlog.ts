import type { Server } from 'node:net';

/** What Node does not document: the system's socket. Asked again, it takes as many waiting connections as it is told. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number } | null;
}

/**
 * Resolves when the server has what clients had connected to: the system would reset what is left when it closes. It is
 * told to let nobody else wait, whose client tries again until it is refused. A connection comes with each `turn`; where
 * they do not end, it waits for `limit` milliseconds.
 */
export async function acceptWaiting(
  server: Server & Internals,
  turn: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  server._handle?.listen?.(0);
  const until = performance.now() + limit;
  // In the first turn, it may have looked before there was one.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await turn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}
