import { messageOf, type Project } from '../../kernel/index.js';
import { isHttpError } from '../http/index.js';
import type { Entry } from './acceptors.js';
import { shortened } from './reason.js';

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

/** Logged in a callback of Node's, where a logger that fails would end the process. */
export function warn(message: string, { logger }: Project): void {
  try {
    logger.warn(message);
  } catch (failure) {
    console.error(`${message} (it could not be logged: ${messageOf(failure)})`);
  }
}

/** A logger may be anybody's: one that fails must not keep a connection from ending. */
export function logFailure(thrown: unknown, { req, project }: Entry): void {
  const message = `WS ${req.path} failed in ${project.display(req.route.file ?? '')}:`;
  try {
    project.logger.error(message, thrown);
  } catch (failure) {
    console.error(`${message} ${messageOf(thrown)} (it could not be logged: ${messageOf(failure)})`);
  }
}
