import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './read-body.js';

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

/** Responses to requests that wait for `100 Continue` before they send their body. */
const awaited = new WeakSet<ServerResponse>();

/**
 * Take a request with `Expect: 100-continue` (RFC 9110 §10.1.1) without sending `100 Continue` yet: a request that is
 * answered with an error need not send its body. For the `checkContinue` event of a server of this process's own; any
 * other server has sent it.
 */
export function awaitContinue(raw: IncomingMessage, out: ServerResponse): void {
  if (hasBody(raw)) awaited.add(out);
  // There is nothing to wait for, and an answer without it would end the connection.
  else out.writeContinue();
}

/** Send `100 Continue` where the client waits for it: the body is read now. */
export function sendContinue(out: ServerResponse): void {
  if (awaited.delete(out) && !out.headersSent) out.writeContinue();
}
