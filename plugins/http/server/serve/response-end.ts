import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../../response/response.js';

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

/** Emit the `close` of a response that Node emits none for: everything that waits for it goes on. */
export function emitClose(out: ServerResponse): void {
  if (out.closed) return;
  Object.defineProperty(out, 'closed', { value: true });
  out.emit('close');
}

function end(out: ServerResponse): void {
  for (const done of waiting.get(out)?.splice(0) ?? []) done();
}
