import { isHttpError } from '../../http/index.js';
import type { CallContext } from './call-context.js';
import { type Client, INTERNAL_ERROR, INVALID_PARAMS, RpcError } from './client.js';
import type { ClientRequests, InputRequired } from './client-requests.js';
import { describeFailure } from './failure.js';

/** What an operation comes to: a result, or questions that have to be answered first. */
export type Outcome =
  | { readonly result: Record<string, unknown> }
  | { readonly inputRequired: InputRequired };

/** What code of a project is asked for. */
export interface Asked {
  readonly questions: ClientRequests;
  readonly context: CallContext;
  readonly client: Client;
  /** Begins a sentence that tells of its failure. */
  readonly what: string;
  readonly file: string;
  /** Of the resource that is read. */
  readonly uri?: string;
}

/** What a handler throws is told if it was thrown on purpose, and hidden if not. */
export async function outcomeOf(
  { questions, context, client, what, file, uri }: Asked,
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

/** What `error(4xx, body)` says. */
export function messageFor({ message, body }: { readonly message: string; readonly body: unknown }): string {
  const isPlain = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isPlain ? message : JSON.stringify(body);
}
