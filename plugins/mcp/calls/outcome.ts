import { messageOf, type Project } from '../../../kernel/index.js';
import { isUnavailable } from '../../../peers/index.js';
import { scopeLogger } from '../../../scope/index.js';
import { isHttpError } from '../../http/index.js';
import { logUnavailable, retrySeconds } from '../../http/internal.js';
import type { CallContext } from './call-context.js';
import {
  type Client,
  type ClientRequests,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Outcome,
  RpcError,
} from './client.js';

export interface ProjectCall {
  readonly questions: ClientRequests;
  readonly context: CallContext;
  readonly client: Client;
  /** The start of the sentence that reports a failure. */
  readonly what: string;
  readonly file: string;
  /** The URI of the resource being read. */
  readonly uri?: string;
}

/** Run project code. The client gets the message of an intentional error; any other error is hidden. */
export async function outcomeOf(
  { questions, context, client, what, file, uri }: ProjectCall,
  run: () => Promise<Record<string, unknown>>,
): Promise<Outcome> {
  try {
    const result = await run();
    const { inputRequired } = questions;
    return inputRequired ? { inputRequired } : { result };
  } catch (thrown) {
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    if (thrown instanceof RpcError) throw thrown;
    if (isHttpError(thrown) && thrown.status < 500) {
      const isMissing = uri !== undefined && thrown.status === 404;
      throw new RpcError(INVALID_PARAMS, messageFor(thrown), isMissing ? { uri } : undefined);
    }
    throw new RpcError(INTERNAL_ERROR, describeFailure(thrown, what, file, context, client));
  }
}

/** The text of `error(4xx, body)` that is sent to a client. */
export function messageFor({ message, body }: { readonly message: string; readonly body: unknown }): string {
  const isPlain = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isPlain ? message : JSON.stringify(body);
}

/** Log an unintentional error. Returns the message for the client, with the reason in development. */
export function describeFailure(
  thrown: unknown,
  what: string,
  file: string,
  { offering, request }: CallContext,
  client: Client,
): string {
  const { project } = offering;
  if (client.observed) client.observed.error = thrown;
  if (isUnavailable(thrown)) {
    logUnavailable(thrown, `${what} failed in ${project.display(file)}`, request, project);
    return `${what} needs a service that is temporarily unavailable. Try again in ${retrySeconds(thrown)} s.`;
  }
  // A cancelled call often fails because of the cancellation.
  if (!client.signal.aborted)
    scopeLogger(project.logger, request).error({ err: thrown }, `${what} failed in ${project.display(file)}`);
  return project.mode === 'development'
    ? `${what} failed: ${messageOf(thrown)} (${project.display(file)})`
    : `${what} failed on the server.`;
}

/** Log client mistakes, in development only: in production any client could fill the log with them. */
export const logFailures =
  ({ mode, logger }: Project) =>
  (failure: Error): void => {
    if (mode === 'development') logger.debug(`MCP: ${failure.message}`);
  };
