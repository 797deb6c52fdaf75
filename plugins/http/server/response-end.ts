import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../response/response.js';

/** What waits for each response. Where one version hands a request to another, both wait. */
const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/** Call `done` when the response has ended, or when its version need not wait for that any more. */
export function whenDone(out: ServerResponse, done: () => void): void {
  const known = waiting.get(out);
  if (known) return void known.push(done);
  waiting.set(out, [done]);
  out.once('close', () => end(out));
}

/**
 * Let the version that answers a request end before the response does: for a stream that has no end of its own and
 * needs nothing of that version. Later ones may go on writing to it.
 */
export const releaseVersion = ({ raw }: HttpResponse): void => end(raw);

/** Have a response end that Node does not tell the end of: what waits for that goes on. */
export function emitClose(out: ServerResponse): void {
  if (out.closed) return;
  Object.defineProperty(out, 'closed', { value: true });
  out.emit('close');
}

function end(out: ServerResponse): void {
  for (const done of waiting.get(out)?.splice(0) ?? []) done();
}
