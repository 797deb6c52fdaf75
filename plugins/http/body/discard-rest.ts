import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds for which a client may go on sending a body that is discarded, once it has its response. */
const DISCARD_MS = 5_000;

/** Discard the rest of a request that has been answered; a client that goes on for too long is cut off. */
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

/** The same, once it has been answered. */
export function discardLater(raw: IncomingMessage, out: ServerResponse): void {
  if (!out.shouldKeepAlive) lingerLater(raw);
  out.once('close', () => discardRest(raw));
}

/**
 * Keep the connection of a request, which ends with the response, open as long as its client sends the rest of the body. Node
 * would close it at once, and bytes that come then are answered with a reset, which may overtake the response (RFC 9112
 * §9.6).
 */
export function lingerLater(raw: IncomingMessage): void {
  const { socket } = raw;
  // In-memory connections have no destroySoon; during shutdown Drain has already replaced it.
  if (typeof socket.destroySoon !== 'function' || Object.hasOwn(socket, 'destroySoon')) return;
  const { destroySoon } = socket;
  socket.destroySoon = () => {
    if (raw.complete) return destroySoon.call(socket);
    socket.end();
    const limit = setTimeout(() => socket.destroy(), DISCARD_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  };
}
