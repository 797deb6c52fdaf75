import { sessionOf } from '../context/index.js';
import type { HandlerRun } from './handler-run.js';
import type { Entry } from './upgrades.js';

/** Close the connection that `run` serves when its visitor's session ends: the client may connect again as who it is then. */
export function closeWithSession({ req }: Entry, run: HandlerRun): void {
  const stop = sessionOf(req)?.onEnd?.((how) =>
    how === 'ended'
      ? run.close(1008, 'The session has ended')
      : run.close(1012, 'The session has a new id: connect again'),
  );
  if (stop) void run.settled.then(stop);
}
