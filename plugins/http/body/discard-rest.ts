import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './read-body.js';

/** Milliseconds for which a client may keep sending a body that is discarded after the response. */
const DISCARD_MS = 5_000;

/** Discard the rest of a request that has been answered. A client that keeps sending for too long is disconnected. */
export function discardRest(raw: IncomingMessage): void {
  const { socket } = raw;
  if (raw.complete || socket === null || socket.destroyed) return;
  raw.resume();
  const limit = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, DISCARD_MS).unref();
  // Most clients have already sent the rest. Without this, the timer would keep the request in memory.
  raw.once('end', () => clearTimeout(limit));
}

/** Discard the rest of a request once its response has ended. */
export function discardLater(raw: IncomingMessage, out: ServerResponse): void {
  if (!out.shouldKeepAlive) lingerLater(raw);
  out.once('close', () => discardRest(raw));
}

/**
 * Keep the connection open while the client sends the rest of the body, although the connection ends with this response. Node
 * would close it at once. Bytes that arrive after that are answered with a reset, which may overtake the response (RFC 9112
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
 * Accept a request with `Expect: 100-continue` (RFC 9110 §10.1.1) without sending `100 Continue` yet, because a client whose
 * request is rejected need not send its body. Listens to `checkContinue` of a server that this process owns; any other server
 * has already sent `100 Continue`.
 */
export function awaitContinue(raw: IncomingMessage, out: ServerResponse): void {
  if (hasBody(raw)) awaited.add(out);
  // There is no body to wait for, and a response without `100 Continue` would close the connection.
  else out.writeContinue();
}

/** Send `100 Continue` if the client waits for it, because the body is about to be read. */
export function sendContinue(out: ServerResponse): void {
  if (awaited.delete(out) && !out.headersSent) out.writeContinue();
}
