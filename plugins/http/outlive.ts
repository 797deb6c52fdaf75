import type { ServerResponse } from 'node:http';
import type { CloveResponse } from './response.js';

/** What is to be called once for each response that a generation has begun. */
const waiting = new WeakMap<ServerResponse, () => void>();

/** Call `done` when the response has ended, or when its generation need not wait for that any more. */
export function whenDone(out: ServerResponse, done: () => void): void {
  const once = () => void (waiting.delete(out) && done());
  waiting.set(out, once);
  out.once('close', once);
}

/**
 * Let the generation that answers a request end before the response does: for a stream that has no end of its own and
 * needs nothing of that generation. Later ones may go on writing to it.
 */
export const outliveGeneration = ({ raw }: CloveResponse): void => waiting.get(raw)?.();
