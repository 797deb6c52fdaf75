import type { Server } from 'node:net';

/** Not documented by Node: the system's socket. `listen` again sets how many connections may wait to be accepted. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number } | null;
}

/**
 * Resolves when the server has accepted all connections that wait at the system, which resets those that are left when the
 * server closes. No more may wait: their clients try again until they are refused. A connection comes with each `nextTurn`; where
 * they do not end, it waits for `limit` milliseconds.
 */
export async function acceptWaiting(
  server: Server & Internals,
  nextTurn: () => Promise<unknown>,
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
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}
