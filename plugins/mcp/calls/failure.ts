import { isUnavailable, messageOf, type Project, scopeLogger } from '../../../kernel/index.js';
import { logUnavailable, retrySeconds } from '../../http/index.js';
import type { CallContext } from './call-context.js';
import type { Client } from './client.js';
import { noteFailure } from './mcp-call.js';

/** Log what was not thrown on purpose. Returns the message for the client: with the reason in development only. */
export function describeFailure(
  thrown: unknown,
  what: string,
  file: string,
  { offering, request }: CallContext,
  client: Client,
): string {
  const { project } = offering;
  noteFailure(client, thrown);
  if (isUnavailable(thrown)) {
    logUnavailable(thrown, `${what} failed in ${project.display(file)}`, request, project);
    return `${what} needs something that is away for now. Try again in ${retrySeconds(thrown)} s.`;
  }
  // A cancelled call often fails because it was cancelled.
  if (!client.signal.aborted)
    scopeLogger(project.logger, request).error({ err: thrown }, `${what} failed in ${project.display(file)}`);
  return project.mode === 'development'
    ? `${what} failed: ${messageOf(thrown)} (${project.display(file)})`
    : `${what} failed on the server.`;
}

/** Log the mistakes of clients, in development only: in production any client could fill the log with them. */
export const logFailures =
  ({ mode, logger }: Project) =>
  (failure: Error): void => {
    if (mode === 'development') logger.debug(`MCP: ${failure.message}`);
  };
