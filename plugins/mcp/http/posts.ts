import type { RuntimeCtx } from '../../../kernel/index.js';
import { type HttpRequest, type HttpResponse, maxJsonDepthOf, releaseVersion } from '../../http/index.js';
import { CallContext, type Offering } from '../calls/call-context.js';
import { prepare } from '../calls/prepared.js';
import type { Identity } from '../definitions/call.js';
import { ByteBudget, sizeOf } from '../sdk/byte-budget.js';
import { isMessage, isRequest, type Message } from '../sdk/transport.js';
import type { Bearer } from './bearer.js';
import type { Connections } from './connections.js';
import { plainCallOf, plainResponse, runPlainCall } from './direct-call.js';
import { EventStream } from './event-stream.js';
import { NoRoom, readJson } from './read-json.js';
import { noRoom, noSession, sendRpcError, stopping, tooMuch } from './rpc-errors.js';
import { HttpSession } from './session.js';
import { webRequest } from './web-request.js';

/** The most messages of one batch. */
const MAX_BATCH_MESSAGES = 100;
/** Memory of a message while it is answered, without what is in it, in bytes. */
const CALL_OVERHEAD_BYTES = 4_096;

/** A body that a client sent. */
interface Received {
  readonly body: unknown;
  /** Its size in memory, in bytes. */
  readonly size: number;
}

/** Answers POST requests to the endpoint of one version. */
export class Posts {
  readonly #offering: Offering;
  readonly #sessions: boolean;
  readonly #bearer: Bearer | undefined;
  readonly #connected: Connections;

  constructor(offering: Offering, sessions: boolean, bearer: Bearer | undefined, connections: Connections) {
    this.#offering = offering;
    this.#sessions = sessions;
    this.#bearer = bearer;
    this.#connected = connections;
  }

  /** Answer the messages of a request. Rejects with an HttpProblem where its body cannot be read. */
  async answer(
    req: HttpRequest,
    res: HttpResponse,
    ctx: RuntimeCtx,
    identity: Identity | undefined,
  ): Promise<void> {
    if (!/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
      return sendRpcError(res, 415, 'Content-Type is application/json');
    const budget = new ByteBudget(Number.POSITIVE_INFINITY, this.#connected.pending);
    let context: CallContext | undefined;
    const open = (sessionId?: string): CallContext => {
      context = new CallContext(this.#offering, ctx, identity, sessionId, req);
      return context;
    };
    try {
      const body = await readJson(req, budget, maxJsonDepthOf(this.#offering.project));
      if (body === undefined) return sendRpcError(res, 400, 'The body is not valid JSON', -32700);
      budget.clear();
      const size = sizeOf(body);
      const taken = size + CALL_OVERHEAD_BYTES * (Array.isArray(body) ? body.length : 1);
      const { pendingLimit } = this.#connected.limits;
      if (taken > pendingLimit) return tooMuch(res, pendingLimit, 'mcp.pendingLimit');
      if (!budget.take(taken)) return noRoom(res);
      await this.#answer(req, res, { body, size }, identity, open);
    } catch (thrown) {
      if (!(thrown instanceof NoRoom)) throw thrown;
      noRoom(res);
    } finally {
      // Code for a call that the client has cancelled may still run.
      await context?.idle();
      budget.clear();
    }
  }

  async #answer(
    req: HttpRequest,
    res: HttpResponse,
    { body, size }: Received,
    identity: Identity | undefined,
    open: (sessionId?: string) => CallContext,
  ): Promise<void> {
    const messages = Array.isArray(body) ? body : [body];
    const valid = messages.filter(isMessage);
    if (identity && !this.#bearer?.mayAsk(valid, identity, this.#offering.table, req, res)) return undefined;
    const plain = plainCallOf(req, body);
    if (plain) {
      const context = open();
      const { hub } = this.#connected;
      const outcome = await runPlainCall(plain, context, req, hub);
      const text = plainResponse(plain, outcome, hub.info);
      if (res.raw.closed) return undefined;
      if (text !== undefined) return res.type('application/json').send(text);
      prepare(context, outcome);
      return this.#answerStateless(req, res, { body, size }, valid, context);
    }
    const { sdk } = await this.#connected.open();
    if (sdk.isStateless(req.method, (name) => req.header(name), body))
      return this.#answerStateless(req, res, { body, size }, valid, open());

    if (valid.length < messages.length || messages.length === 0 || messages.length > MAX_BATCH_MESSAGES)
      return sendRpcError(
        res,
        400,
        `The body is not a JSON-RPC message, nor a list of 1 to ${MAX_BATCH_MESSAGES} of them`,
        -32600,
      );
    const version = req.header('mcp-protocol-version');
    if (version !== undefined && !sdk.isKnownVersion(version))
      return sendRpcError(res, 400, `There is no protocol version "${version}"`);

    const session = await this.#enter(req, res, valid, size, identity);
    if (!session) return undefined;
    const inUse = session.idInUse(valid);
    if (inUse !== undefined)
      return sendRpcError(
        res,
        400,
        `The id ${JSON.stringify(inUse)} is in use: give each request its own`,
        -32600,
      );
    await session.receive(
      valid,
      Array.isArray(body),
      res,
      open(this.#sessions ? session.sessionId : undefined),
    );
    if (!this.#sessions) await session.close();
  }

  async #answerStateless(
    req: HttpRequest,
    res: HttpResponse,
    { body, size }: Received,
    messages: readonly Message[],
    context: CallContext,
  ): Promise<void> {
    const { stopping: end, limits } = this.#connected;
    const isStream = messages.some(({ method }) => method === 'subscriptions/listen');
    if (isStream && size > limits.sessionLimit) return tooMuch(res, limits.sessionLimit, 'mcp.sessionLimit');
    const { answerStateless } = await this.#connected.open();
    if (isStream && end.aborted) return stopping(res);
    if (isStream) releaseVersion(res);
    const signal = isStream ? AbortSignal.any([req.signal, end]) : req.signal;
    const response = await answerStateless(webRequest(req, res, signal), body, context);
    return sendResponse(response, res, limits.backpressureLimit);
  }

  /** The session that messages belong to: theirs, or one that they begin. Undefined where an error was sent instead. */
  async #enter(
    req: HttpRequest,
    res: HttpResponse,
    messages: readonly Message[],
    size: number,
    identity: Identity | undefined,
  ): Promise<HttpSession | undefined> {
    const { sessions, limits, stopping: end } = this.#connected;
    const { sdk } = await this.#connected.open();
    if (!this.#sessions) {
      const budget = new ByteBudget(limits.sessionLimit);
      const once = new HttpSession(
        '',
        identity?.subject,
        limits.backpressureLimit,
        budget,
        this.#offering.project.clock,
      );
      await sdk.connect(once, budget);
      return once;
    }
    if (!messages.some(({ method }) => method === 'initialize'))
      return this.#connected.sessionOf(req, identity) ?? noSession(req, res);
    if (messages.length > 1 || !isRequest(messages[0] ?? { jsonrpc: '2.0' }))
      return sendRpcError(res, 400, 'A session is begun by a request of its own', -32600);
    if (end.aborted) return stopping(res);
    if (size > limits.sessionLimit) return tooMuch(res, limits.sessionLimit, 'mcp.sessionLimit');
    const session = sessions.begin(identity?.subject, size);
    if (!session) return noRoom(res);
    await sdk.connect(session, session.budget);
    res.header('Mcp-Session-Id', session.sessionId);
    return session;
  }
}

/** Send a response of the SDK. One with JSON is sent in one piece, which costs less than a stream. */
async function sendResponse(response: Response, res: HttpResponse, backpressureLimit: number): Promise<void> {
  const { status, headers, body } = response;
  if (body && headers.get('content-type') === 'text/event-stream') {
    const stream = new EventStream(backpressureLimit);
    await Promise.all([stream.relay(body), stream.pipe(res.status(status))]);
  } else if (headers.get('content-type') === 'application/json')
    res
      .status(status)
      .type('application/json')
      .send(await response.text());
  else await res.respond(response);
}
