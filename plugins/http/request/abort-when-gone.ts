import type { ServerResponse } from 'node:http';

/** Is aborted when the client goes away before the response is finished. */
export function abortWhenGone(out: ServerResponse): AbortController {
  const abort = new AbortController();
  const check = () => void (out.writableFinished || abort.abort(new Error('The client went away')));
  if (out.closed) check();
  else out.once('close', check);
  return abort;
}
