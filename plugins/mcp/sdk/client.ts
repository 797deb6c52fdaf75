// The SDK's context of one request, as the neutral client. Types of the SDK only: nothing of it is loaded from here.
import type { RequestOptions, Server, ServerContext } from '@modelcontextprotocol/server';
import { CallContext } from '../calls/call-context.js';
import { type Client, INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../calls/client.js';
import type { Params } from '../calls/methods.js';
import type { Hub } from '../hub.js';

/** How long a person may take to answer a question, in milliseconds. */
const ANSWER_TIMEOUT_MS = 600_000;
const STOPPING = 'The server is being stopped, and does not wait for answers';
/** The key of the client's capabilities in a stateless request (MCP 2026-07-28, request metadata). */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The state that a client carries from one round of a call to the next. */
export interface State {
  /** The tool, resource or prompt that it was made for. */
  readonly of: string;
  readonly round: number;
  readonly answered: Readonly<Record<string, unknown>>;
}

export const subjectOf = ({ name, uri }: Params): string => name ?? uri;

/** The context that the message brought along, if any. */
export function contextOf({ http }: ServerContext): CallContext | undefined {
  const context = http?.authInfo?.extra?.context;
  return context instanceof CallContext ? context : undefined;
}

/** `onFailure` gets what could not be sent to the client. */
export function clientOf(
  hub: Hub,
  server: Server,
  params: Params,
  { mcpReq }: ServerContext,
  onFailure: (failure: Error) => void,
): Client {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const declared = envelope[CAPABILITIES] ?? server.getClientCapabilities();
  const send = mcpReq.send as (request: object, options: RequestOptions) => Promise<unknown>;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    capabilities: { ...Object(declared) },
    async progress(progress, total, message) {
      if (progressToken === undefined) return;
      const more = {
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      const params = { progressToken, progress, ...more };
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(onFailure);
    },
    // Handlers rarely await these two: a disconnected client must not become an unhandled rejection.
    log: (level, data, logger) => mcpReq.log(level, data, logger).catch(onFailure),
    changed: (uri) => hub.resourceChanged(uri),
    // On the stream of the call itself: otherwise the answer of a client over HTTP would be lost.
    send: mcpReq.envelope
      ? undefined
      : async (method, asked) => {
          const signal = AbortSignal.any([mcpReq.signal, hub.stopping]);
          try {
            return await send({ method, params: asked }, { timeout: ANSWER_TIMEOUT_MS, signal });
          } catch (thrown) {
            if (hub.stopping.aborted) throw new RpcError(INTERNAL_ERROR, STOPPING);
            throw thrown;
          }
        },
    answers: answersOf(params, mcpReq),
  };
}

function answersOf(params: Params, mcpReq: ServerContext['mcpReq']): Readonly<Record<string, unknown>> {
  const state = mcpReq.requestState<State>();
  if (state !== undefined && state.of !== subjectOf(params))
    throw new RpcError(INVALID_PARAMS, 'The requestState belongs to another call');
  return { ...state?.answered, ...mcpReq.inputResponses };
}
