import { isHttpError } from '../../http/index.js';
import type { CallContext } from './call-context.js';
import { type Client, INTERNAL_ERROR, INVALID_PARAMS, RpcError } from './client.js';
import type { ClientRequests, InputRequired } from './client-requests.js';
import { describeFailure } from './failure.js';

/** The outcome of an operation: a result, or questions that have to be answered first. */
export type Outcome =
  | { readonly result: Record<string, unknown> }
  | { readonly inputRequired: InputRequired };

/** One run of code of the project. */
export interface ProjectCall {
  readonly questions: ClientRequests;
  readonly context: CallContext;
  readonly client: Client;
  /** Begins the sentence that reports its failure. */
  readonly what: string;
  readonly file: string;
  /** Of the resource that is read. */
  readonly uri?: string;
}

/** Run code of the project. The client gets the message of an error that was thrown on purpose; any other is hidden. */
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

/** The text of `error(4xx, body)` for a client. */
export function messageFor({ message, body }: { readonly message: string; readonly body: unknown }): string {
  const isPlain = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isPlain ? message : JSON.stringify(body);
}
