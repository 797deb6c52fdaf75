import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../../response/response.js';

const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/** Call `done` when the response has ended, or when its version no longer has to wait for it. */
export function whenDone(out: ServerResponse, done: () => void): void {
  // The client may disconnect while the request waits for its turn, for a reload or for the host server.
  if (out.closed) return done();
  const known = waiting.get(out);
  if (known) return void known.push(done);
  waiting.set(out, [done]);
  out.once('close', () => end(out));
}

/** Let the version end before an endless stream that needs it no longer, and outlives it. */
export const releaseVersion = ({ raw }: HttpResponse): void => end(raw);

/** Emit `close` for a response if Node doesn't, so that everything waiting for it continues. */
export function emitClose(out: ServerResponse): void {
  if (out.closed) return;
  Object.defineProperty(out, 'closed', { value: true });
  out.emit('close');
}

function end(out: ServerResponse): void {
  for (const done of waiting.get(out)?.splice(0) ?? []) done();
}
