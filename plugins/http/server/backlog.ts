import type { Server } from 'node:net';

/** Not documented by Node: the socket. To `listen` again sets the length of the kernel's backlog. */
interface Internals {
  readonly _handle?: { listen?(backlog: number): number } | null;
}

/**
 * Accept what waits in the kernel's backlog before closing, because closing resets it. Each turn of the event loop, for which
 * `nextTurn` waits, accepts about one connection. The backlog takes no more meanwhile: clients that come now try again until
 * the closed server refuses them. Resolves when two turns accepted none, at the latest after `limit` milliseconds.
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
  // Two turns: in the first, the event loop may have looked for connections before one had come.
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}
