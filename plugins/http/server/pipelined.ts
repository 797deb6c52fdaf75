import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { emitClose } from './response-end.js';

/**
 * Of a connection on which more requests than this wait for their turn, no more are read: Node reads on, and each takes
 * some kilobytes.
 */
const MAX_PIPELINED_REQUESTS = 128;

/** Responses that wait for their turn, by connection. */
const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Emit the `close` of a response that waits for its turn on a connection, when the connection has ended. Up to version 22,
 * Node emits that of the one whose turn it is only.
 */
export function trackPipelined(out: ServerResponse): void {
  const { socket } = out.req;
  const queue = queues.get(socket) ?? new Set();
  queue.add(out);
  if (queue.size > MAX_PIPELINED_REQUESTS) stopReading(socket);
  out.once('close', () => {
    queue.delete(out);
    if (queue.size === MAX_PIPELINED_REQUESTS / 2) socket.resume();
  });
  if (socket.destroyed) process.nextTick(emitQueuedClose, out);
  if (queues.has(socket)) return;
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const one of queue) emitQueuedClose(one);
  });
}

/** Stop reading a connection, once the bytes that have come are parsed: with each request Node begins to read again. */
export function stopReading(socket: Socket): void {
  if (!socket.isPaused()) process.nextTick(() => socket.pause());
}

/** The response to the last request of those that wait for their turn, or have waited and are not answered yet. */
export const newestWaiting = (socket: Socket): ServerResponse | undefined =>
  [...(queues.get(socket) ?? [])].at(-1);

/** Not for one that has had its turn meanwhile: Node emits its `close`. */
function emitQueuedClose(out: ServerResponse): void {
  if (out.socket === null) emitClose(out);
}
