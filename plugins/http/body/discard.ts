import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may go on sending what nobody reads, once it has its answer, in milliseconds. */
const DISCARD_MS = 5_000;

/** Throw away what is still to come of a request that has been answered; then, or after a while, the connection is cut. */
export function discardRest(raw: IncomingMessage): void {
  const { socket } = raw;
  if (raw.complete || socket === null || socket.destroyed) return;
  raw.resume();
  setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, DISCARD_MS).unref();
}

/** The same when it will have been answered. */
export const discardLater = (raw: IncomingMessage, out: ServerResponse): void =>
  void out.once('close', () => discardRest(raw));
