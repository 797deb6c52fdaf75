import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may go on sending what nobody reads, once it has its answer, in milliseconds. */
const DISCARD_MS = 5_000;

/** Throw away what is still to come of a request that has been answered; then, or after a while, the connection is cut. */
export function discardRest(raw: IncomingMessage): void {
  const { socket } = raw;
  if (raw.complete || socket === null || socket.destroyed) return;
  raw.resume();
  const limit = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, DISCARD_MS).unref();
  // Most have sent the rest at once, and their requests need not be kept until then.
  raw.once('end', () => clearTimeout(limit));
}

/** The same when it will have been answered. */
export function discardLater(raw: IncomingMessage, out: ServerResponse): void {
  if (!out.shouldKeepAlive) lingerLater(raw);
  out.once('close', () => discardRest(raw));
}

/**
 * Have the connection of a request, which ends with the answer, stay open as long as its client sends what nobody reads. Node
 * would close it at once, and what comes then is answered with a reset, which may overtake the answer (RFC 9112 §9.6).
 */
export function lingerLater(raw: IncomingMessage): void {
  const { socket } = raw;
  // In memory there is none, and no reset; while a server ends, that sees to it.
  if (typeof socket.destroySoon !== 'function' || Object.hasOwn(socket, 'destroySoon')) return;
  const { destroySoon } = socket;
  socket.destroySoon = () => {
    if (raw.complete) return destroySoon.call(socket);
    socket.end();
    const limit = setTimeout(() => socket.destroy(), DISCARD_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  };
}
