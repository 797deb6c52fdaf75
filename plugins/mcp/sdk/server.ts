// Serves clients through the official SDK, whose import takes as long as the rest of startup: `openSdk`
// imports it when the first client connects.
import type {
  AuthInfo,
  JSONRPCRequest,
  RequestMethod,
  RequestOptions,
  Result,
  Transport as SdkTransport,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { messageOf } from '../../../kernel/index.js';
import { noteRequest } from '../../http/index.js';
import { describeIssues, plainIssues } from '../../http/internal.js';
import {
  CallContext,
  type Client,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Outcome,
  RpcError,
} from '../calls/client.js';
import { methodsOf, type Params, type Run, Subscriptions } from '../calls/methods.js';
import { runObserved } from '../calls/observe-calls.js';
import { type Hub, SKILLS } from '../hub.js';
import { ByteBudget } from './byte-budget.js';
import type { Message, Transport } from './transport.js';

/** How long a client may carry the state of a call between rounds, in seconds. */
const STATE_LIFETIME_SECONDS = 3_600;

/** A message's context as the SDK's AuthInfo, which the SDK passes on to the code that answers. */
export const authInfoOf = (context: CallContext): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { context },
});

/** Opens a context for a message that has none, for example over stdio. `close` ends the scope of its `ctx`. */
export type OpenLocal = () => Promise<{ readonly context: CallContext; close(): Promise<void> }>;

export async function openSdk(hub: Hub, onFailure: (failure: Error) => void, local?: OpenLocal) {
  const sdk = await import('@modelcontextprotocol/server');
  const codec = sdk.createRequestStateCodec<State>({
    key: hub.key,
    ttlSeconds: STATE_LIFETIME_SECONDS,
    bind: (ctx) => `${ctx.mcpReq.method} ${contextOf(ctx)?.auth?.subject ?? ''}`,
  });

  class ClearServer extends sdk.Server {
    /** Called for every method, including the methods that the SDK answers itself. */
    protected override _wrapHandler(method: string, handler: Answer): Answer {
      const answer = super._wrapHandler(method, handler);
      return async (request, ctx) => {
        try {
          return await answer(request, ctx);
        } catch (thrown) {
          throw clarified(thrown, method);
        }
      };
    }
  }

  return {
    /** Whether the body of a POST request with that version uses the stateless protocol, or claims to. */
    isStateless: (version: string | undefined, body: unknown): boolean =>
      sdk.classifyInboundRequest({ httpMethod: 'POST', body, protocolVersionHeader: version as string })
        .kind !== 'legacy',

    /** Whether it is a message that the SDK answers: it ignores any other value. */
    isMessage: (value: unknown): value is Message =>
      sdk.isJSONRPCRequest(value) || sdk.isJSONRPCNotification(value) || sdk.isJSONRPCResponse(value),

    /** Whether it is a known version of the protocol with sessions. */
    isKnownVersion: (version: string): boolean => sdk.SUPPORTED_PROTOCOL_VERSIONS.includes(version),

    /** Answer one client in the protocol with sessions. Its subscriptions count against `budget`. */
    connect: (transport: Transport, budget: ByteBudget): Promise<void> =>
      makeServer('connection', budget).connect(transport as SdkTransport),

    /** Returns a function that answers requests of the stateless protocol. */
    stateless() {
      const handler = sdk.createMcpHandler(() => makeServer('context', EMPTY_BUDGET), {
        legacy: 'reject',
        onerror: onFailure,
      });
      hub.subscribe({
        listChanged: (list) => handler.notify[`${list}Changed`](),
        resourceChanged: (uri) => handler.notify.resourceUpdated(uri),
      });
      return (request: Request, parsedBody: unknown, context: CallContext): Promise<Response> =>
        handler.fetch(request, { parsedBody, authInfo: authInfoOf(context) });
    },

    async serveStdio(transport: Transport, budget: ByteBudget): Promise<void> {
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      serveStdio(({ era }) => makeServer(era === 'modern' ? 'filtered' : 'connection', budget), {
        transport: transport as SdkTransport,
        onerror: onFailure,
      });
    },
  };

  /** Of the lives, only a `context` gets no notifications. For `filtered`, the SDK stores the subscriptions. */
  function makeServer(life: 'connection' | 'context' | 'filtered', budget: ByteBudget): Server {
    const { instructions, capabilities, ...info } = hub.info;
    const server = new ClearServer(info, {
      capabilities,
      // fwk checks every value itself, so the validator of the SDK for each server is not needed.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
      requestState: { verify: codec.verify },
      inputRequired: { legacyShim: false },
      ...(instructions === undefined ? {} : { instructions }),
    });
    server.onerror = onFailure;
    const subscribed = new Subscriptions(budget);
    for (const [method, run] of Object.entries(methodsOf(subscribed)))
      if (isOffered(method, capabilities)) answerWith(server, method as RequestMethod, run);
    if (life === 'context') return server;

    const send = (sending: Promise<void>) => void sending.catch(onFailure);
    server.onclose = hub.subscribe({
      listChanged: (list) => send(server.notification({ method: `notifications/${list}/list_changed` })),
      resourceChanged: (uri) => {
        if (life === 'filtered' || subscribed.has(uri)) send(server.sendResourceUpdated({ uri }));
      },
    });
    return server;
  }

  function answerWith(server: Server, method: RequestMethod, run: Run): void {
    const answer = async (request: { params?: unknown }, ctx: ServerContext): Promise<object> => {
      const params = { ...Object(request.params) } as Params;
      const carried = contextOf(ctx);
      const opened = carried ? undefined : await local?.();
      const context = carried ?? opened?.context;
      if (!context) throw new Error('a message arrived without its context');
      if (context.request) noteRequest(context.request, { mcp: method, ...targetOf(params) });
      const ended = context.begin();
      try {
        const client = clientOf(hub, server, params, ctx, onFailure);
        const outcome = context.outcome?.() ?? (await runObserved(method, run, context, params, client));
        return await finish(server, params, ctx, outcome, context);
      } finally {
        ended();
        await opened?.close();
      }
    };
    // Results come from project definitions, and the SDK checks them before sending: types end here.
    if (!method.startsWith('skills/')) return server.setRequestHandler(method, answer as never);
    // Methods of extensions come with a schema of their parameters.
    const extended = (params: unknown, ctx: ServerContext) => answer({ params }, ctx);
    server.setRequestHandler(method as string, { params: ANY_PARAMS }, extended as never);
  }

  async function finish(
    server: Server,
    params: Params,
    ctx: ServerContext,
    outcome: Outcome,
    { offering }: CallContext,
  ): Promise<object> {
    if ('inputRequired' in outcome) {
      const { questions, answered } = outcome.inputRequired;
      const round = (ctx.mcpReq.requestState<State>()?.round ?? 0) + 1;
      const requestState = await codec.mint({ of: subjectOf(params), round, answered }, ctx);
      return { resultType: 'input_required', inputRequests: questions, requestState };
    }
    if (ctx.mcpReq.method !== 'tools/call') return outcome.result;
    const { isError } = outcome.result;
    const schemas = isError ? undefined : await offering.table.tools.get(params.name)?.schemas();
    const output = schemas?.output?.json;
    return server.projectCallToolResult({ content: [], ...outcome.result }, output);
  }
}

type Answer = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/** The SDK reports the issues of a request as JSON. The client gets the first issue as a sentence. */
function clarified(thrown: unknown, method: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof RpcError) return thrown;
  const start = thrown.message.indexOf('[\n');
  if (start === -1) return thrown;
  const [issue] = plainIssues(JSON.parse(thrown.message.slice(start)));
  const reason = describeIssues(issue ? [issue] : []);
  // The SDK checks results, too.
  return /^Invalid \S+ result/.test(thrown.message)
    ? new RpcError(INTERNAL_ERROR, `The result of ${method} is invalid: ${reason}`)
    : new RpcError(INVALID_PARAMS, `The request is invalid: ${reason}`);
}

const targetOf = ({ name, uri }: Params): { readonly target?: unknown } =>
  typeof name === 'string' ? { target: name } : typeof uri === 'string' ? { target: uri } : {};

/** A Standard Schema that accepts any parameters. */
const ANY_PARAMS = {
  '~standard': { version: 1, vendor: 'fwkit', validate: (value: unknown) => ({ value: Object(value) }) },
} as const;

/** Nothing is stored for a single context. */
const EMPTY_BUDGET = new ByteBudget(0);

/** Whether a method belongs to a declared capability: the SDK throws for any other. */
const isOffered = (method: string, capabilities: Hub['info']['capabilities']): boolean =>
  method.startsWith('skills/')
    ? capabilities.extensions?.[SKILLS] !== undefined
    : (method === 'completion/complete' ? 'completions' : (method.split('/', 1)[0] ?? '')) in capabilities;

/** How long a person may take to answer a question, in milliseconds. */
const ANSWER_TIMEOUT_MS = 600_000;

const STOPPING = 'The server is shutting down and does not wait for answers';

/** The key of the client's capabilities in a stateless request (MCP 2026-07-28, request metadata). */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

interface State {
  readonly of: string;
  readonly round: number;
  readonly answered: Readonly<Record<string, unknown>>;
}

const subjectOf = ({ name, uri }: Params): string => name ?? uri;

/** The context that the message carries, if any. */
function contextOf({ http }: ServerContext): CallContext | undefined {
  const context = http?.authInfo?.extra?.context;
  return context instanceof CallContext ? context : undefined;
}

/** `onFailure` receives errors from sending to the client. */
function clientOf(
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
      const params = { progressToken, progress, total, message };
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(onFailure);
    },
    // Handlers rarely await these functions: a disconnected client must not cause a rejection.
    log: (level, data, logger) => mcpReq.log(level, data, logger).catch(onFailure),
    changed: (uri) => hub.resourceChanged(uri),
    // Sent on the stream of the call itself: otherwise the answer of a client over HTTP would be lost.
    send: mcpReq.envelope
      ? undefined
      : async (method, params) => {
          const signal = AbortSignal.any([mcpReq.signal, hub.stopping]);
          try {
            return await send({ method, params }, { timeout: ANSWER_TIMEOUT_MS, signal });
          } catch (thrown) {
            if (hub.stopping.aborted) throw new RpcError(INTERNAL_ERROR, STOPPING);
            if (mcpReq.signal.aborted) throw thrown;
            const reason = messageOf(clarified(thrown, method));
            throw new RpcError(INVALID_PARAMS, `The client did not answer ${method}: ${reason}`);
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
