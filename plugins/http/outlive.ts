import type { ServerResponse } from 'node:http';
import type { CloveResponse } from './response.js';

/** What waits for each response. Where one generation hands a request to another, both wait. */
const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/** Call `done` when the response has ended, or when its generation need not wait for that any more. */
export function whenDone(out: ServerResponse, done: () => void): void {
  const known = waiting.get(out);
  if (known) return void known.push(done);
  waiting.set(out, [done]);
  out.once('close', () => end(out));
}

/**
 * Let the generation that answers a request end before the response does: for a stream that has no end of its own and
 * needs nothing of that generation. Later ones may go on writing to it.
 */
export const outliveGeneration = ({ raw }: CloveResponse): void => end(raw);

/** Have a response end that Node does not tell the end of: what waits for that goes on. */
export function conclude(out: ServerResponse): void {
  if (out.closed) return;
  Object.defineProperty(out, 'closed', { value: true });
  out.emit('close');
}

function end(out: ServerResponse): void {
  for (const done of waiting.get(out)?.splice(0) ?? []) done();
}
