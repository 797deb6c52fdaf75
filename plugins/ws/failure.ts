import { messageOf, type Project } from '../../kernel/index.js';
import { isHttpError, logSafely } from '../http/index.js';
import { shortened } from './close-reason.js';
import type { Entry } from './upgrades.js';

/** What a client is told of something thrown: code and reason of the closing frame, and whether it is logged, too. */
export interface Told {
  readonly code: number;
  readonly reason: string;
  readonly isLogged: boolean;
}

/** Takes anything that can be thrown, and never throws. `failure` is the code for what was not thrown on purpose. */
export function told(thrown: unknown, { mode }: Project, failure: number): Told {
  try {
    if (isHttpError(thrown) && thrown.status < 500)
      return { code: 1008, reason: shortened(thrown.message), isLogged: false };
    if (mode === 'development')
      return { code: failure, reason: shortened(messageOf(thrown)), isLogged: true };
  } catch {
    // A Proxy that throws when it is asked: of that nothing can be told.
  }
  return { code: failure, reason: 'Something went wrong on the server', isLogged: true };
}

/** Log what a handler or callback threw. */
export const logFailure = (thrown: unknown, { req, project }: Entry): void =>
  logSafely(
    project.logger,
    'error',
    `WS ${req.path} failed in ${project.display(req.route.file ?? '')}:`,
    thrown,
  );
