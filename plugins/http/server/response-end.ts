import type { RequestListener, ServerResponse } from 'node:http';
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

/** `listener`, and `idle`, which resolves when the requests are done that it has begun. */
export function counted(listener: RequestListener): { listener: RequestListener; idle(): Promise<void> } {
  let running = 0;
  let done: (() => void) | undefined;
  return {
    listener: (raw, out) => {
      running += 1;
      whenDone(out, () => {
        running -= 1;
        if (running === 0) done?.();
      });
      listener(raw, out);
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => (done = resolve));
    },
  };
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
