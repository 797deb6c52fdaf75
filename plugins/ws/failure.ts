import {
  isUnavailable,
  logSafely,
  messageOf,
  type Project,
  scopeLogger,
  type Unavailable,
} from '../../kernel/index.js';
import { isHttpError, logUnavailable } from '../http/index.js';
import { shortened } from './close-reason.js';
import type { Closing } from './socket.js';
import { SOCKET_ERROR, type SocketFailure } from './socket-info.js';
import type { Entry } from './upgrades.js';

/** How a failure closes the connection. */
export interface FailureClosing extends Closing {
  readonly isLogged: boolean;
}

/**
 * Code and reason of the closing frame for a thrown value, which may be anything. Never throws. `failure` is the code
 * for what was not thrown on purpose.
 */
export function closingFor(thrown: unknown, { mode }: Project, failure: number): FailureClosing {
  try {
    if (isHttpError(thrown) && thrown.status < 500)
      return { code: 1008, reason: shortened(thrown.message), isLogged: false };
    if (isUnavailable(thrown))
      return {
        code: 1013,
        reason: 'Something that this needs is away for now. Try again soon',
        isLogged: true,
      };
    if (mode === 'development')
      return { code: failure, reason: shortened(messageOf(thrown)), isLogged: true };
  } catch {
    // A Proxy that throws when it is read: nothing can be said of it.
  }
  return { code: failure, reason: 'Something went wrong on the server', isLogged: true };
}

/** Log what a handler or callback threw. */
export function logFailure(thrown: unknown, { req, project }: Entry): void {
  const { raw, route, path } = req;
  if (SOCKET_ERROR.hasSubscribers)
    SOCKET_ERROR.publish({ error: thrown, raw, route: route.path ?? '' } satisfies SocketFailure);
  const what = `WS ${path} failed in ${project.display(route.file ?? '')}`;
  if (isAway(thrown)) return logUnavailable(thrown, what, req, project);
  logSafely(scopeLogger(project.logger, req), 'error', what, thrown);
}

function isAway(thrown: unknown): thrown is Unavailable {
  try {
    return isUnavailable(thrown);
  } catch {
    // A Proxy that throws when it is read.
    return false;
  }
}
