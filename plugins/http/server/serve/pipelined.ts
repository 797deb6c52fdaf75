import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { emitClose } from './response-end.js';

/** Of a connection on which more requests than this wait for their turn, no more are read: Node reads on, and each takes some kilobytes. */
const MAX_PIPELINED_REQUESTS = 128;

/**
 * The number of pipelined requests on a connection that are answered ahead of their turn. A request takes 40 bytes, and its
 * response waits in memory: with a packet of 64 KiB, the app would hold 1,500 of them.
 */
const MAX_ANSWERED_AHEAD = 16;

interface PipelinedRequests {
  readonly waiting: Set<ServerResponse>;
  /** Callbacks that begin the last requests, which are not being answered yet. */
  readonly parked: (() => void)[];
}

const queues = new WeakMap<Socket, PipelinedRequests>();

/**
 * Emit `close` for a response that waits for its turn when the connection has closed: up to version 22, Node only emits it
 * for the current response. Returns true if many responses precede it; `begin` is called when there are fewer, but not if the
 * connection closes before.
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
    if (waiting.size === MAX_PIPELINED_REQUESTS / 2) resumeReading(socket);
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
  // It is called at the end of another request, so it is bound to the context of this one.
  parked.push(AsyncResource.bind(begin));
  return true;
}

/**
 * Stop reading a connection after the received bytes are parsed. Node resumes it at the end of each of their requests, which
 * has no effect until `resumeReading`.
 */
export function stopReading(socket: Socket): void {
  if (isStopped(socket)) return;
  socket.resume = () => socket;
  // An earlier call of `resume` may take effect in the next tick, and would undo this.
  process.nextTick(() => isStopped(socket) && socket.pause());
}

/** Not before the client has received the responses: Node has paused the connection for that, and would not pause it again. */
export function resumeReading(socket: Socket): void {
  if (socket.writableNeedDrain) return void socket.once('drain', () => resumeReading(socket));
  delete (socket as Partial<Socket>).resume;
  socket.resume();
}

const isStopped = (socket: Socket): boolean => Object.hasOwn(socket, 'resume');

/** The response to the last request that waits or has waited for its turn and is not answered yet. */
export const newestWaiting = (socket: Socket): ServerResponse | undefined =>
  [...(queues.get(socket)?.waiting ?? [])].at(-1);

/** Skips a response whose turn has come meanwhile, because Node emits its `close`. */
function emitQueuedClose(out: ServerResponse): void {
  if (out.socket === null) emitClose(out);
}
