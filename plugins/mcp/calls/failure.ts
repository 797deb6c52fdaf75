import { messageOf, type Project } from '../../../kernel/index.js';
import type { CallContext } from './call-context.js';
import type { Client } from './client.js';

/** Log what was not thrown on purpose, and say what the client is told of it: in development the reason, else none. */
export function describeFailure(
  thrown: unknown,
  what: string,
  file: string,
  { offering }: CallContext,
  client: Client,
): string {
  const { project } = offering;
  // Who has cancelled the call has no use for its failure, and often is its reason.
  if (!client.signal.aborted) project.logger.error(`${what} failed in ${project.display(file)}:`, thrown);
  return project.mode === 'development'
    ? `${what} failed: ${messageOf(thrown)} (${project.display(file)})`
    : `${what} failed on the server.`;
}

/** What clients do wrong is told to whoever develops one; in production anybody could fill the log with it. */
export const logFailures =
  ({ mode, logger }: Project) =>
  (failure: Error): void => {
    if (mode === 'development') logger.debug('MCP:', failure.message);
  };
