import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { emitClose } from './response-end.js';

/** Of a connection on which more requests than this wait for their turn, no more are read: Node reads on, and each takes some kilobytes. */
const MAX_PIPELINED_REQUESTS = 128;

/**
 * So many requests of a connection are answered at once, beside the one whose turn it is. A request takes 40 bytes, and its response
 * waits in memory: a packet of 64 KiB would have the app hold 1,500 of them.
 */
const MAX_ANSWERED_AHEAD = 16;

interface Queue {
  readonly waiting: Set<ServerResponse>;
  /** Begin to answer those that are still to be answered, the last ones. */
  readonly parked: (() => void)[];
}

const queues = new WeakMap<Socket, Queue>();

/**
 * Emit the `close` of a response that waits for its turn on a connection, when the connection has ended: up to version 22,
 * Node emits that of the one whose turn it is only. True: many are before it, and `begin` is called when fewer are; not at all
 * where the connection ends before.
 */
export function trackPipelined(out: ServerResponse, begin: () => void): boolean {
  const { socket } = out.req;
  const queue = queues.get(socket) ?? { waiting: new Set(), parked: [] };
  const { waiting, parked } = queue;
  if (waiting.has(out)) return false;
  waiting.add(out);
  if (waiting.size > MAX_PIPELINED_REQUESTS) stopReading(socket);
  out.once('close', () => {
    waiting.delete(out);
    if (waiting.size === MAX_PIPELINED_REQUESTS / 2) socket.resume();
    if (!socket.destroyed) parked.shift()?.();
  });
  if (socket.destroyed) process.nextTick(emitQueuedClose, out);
  if (!queues.has(socket)) {
    queues.set(socket, queue);
    socket.once('close', () => {
      parked.length = 0;
      for (const one of waiting) emitQueuedClose(one);
    });
  }
  if (waiting.size - parked.length <= MAX_ANSWERED_AHEAD) return false;
  // It is another request whose end calls it.
  parked.push(AsyncResource.bind(begin));
  return true;
}

/** Stop reading a connection, once the bytes that have come are parsed: with each request Node begins to read again. */
export function stopReading(socket: Socket): void {
  if (!socket.isPaused()) process.nextTick(() => socket.pause());
}

/** The response to the last request of those that wait for their turn, or have waited and are not answered yet. */
export const newestWaiting = (socket: Socket): ServerResponse | undefined =>
  [...(queues.get(socket)?.waiting ?? [])].at(-1);

/** Not for one that has had its turn meanwhile: Node emits its `close`. */
function emitQueuedClose(out: ServerResponse): void {
  if (out.socket === null) emitClose(out);
}
