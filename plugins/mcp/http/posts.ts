import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isObject } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpRequest, HttpResponse } from '../../http/index.js';
import { Bytes, hasBody, httpSettingsOf, releaseVersion } from '../../http/internal.js';
import { CallContext, INVALID_REQUEST, type Offering, RpcError } from '../calls/client.js';
import type { Identity } from '../definitions/call.js';
import type { McpSettings } from '../options.js';
import { ByteBudget, CALL_OVERHEAD_BYTES, sizeOf } from '../sdk/byte-budget.js';
import { idInUse, isRequest, type Message, NO_ROOM, parseMessage } from '../sdk/transport.js';
import type { Bearer } from './access.js';
import type { Connections, HttpSession } from './connections.js';
import { type PlainCall, plainCallOf, runPlainCall } from './direct-call.js';
import { EventStream, Reply } from './event-stream.js';

interface Received {
  readonly body: unknown;
  /** In memory, in bytes. */
  readonly size: number;
  readonly context: CallContext;
}

export class Posts {
  constructor(
    private readonly offering: Offering,
    private readonly sessions: boolean,
    private readonly bearer: Bearer | undefined,
    private readonly connections: Connections,
  ) {}

  /** Answer the message of a request. Rejects with an HttpProblem if its body cannot be read. */
  async answer(req: HttpRequest, res: HttpResponse, ctx: RuntimeCtx, identity?: Identity): Promise<void> {
    if (!/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
      return sendRpcError(res, 415, 'Content-Type must be application/json');
    const { pending, limits } = this.connections;
    const budget = new ByteBudget(Number.POSITIVE_INFINITY, pending);
    const context = new CallContext(this.offering, ctx, identity, req);
    try {
      const body = await readJson(req, budget, httpSettingsOf(this.offering.project).maxJsonDepth);
      budget.clear();
      const size = sizeOf(body);
      const taken = size + CALL_OVERHEAD_BYTES;
      if (taken > limits.pendingLimit) return tooMuch(res, limits, 'pendingLimit');
      if (!budget.take(taken)) return noRoom(res);
      await this.#answer(req, res, { body, size, context });
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      if (thrown.message === NO_ROOM) noRoom(res);
      else sendRpcError(res, 400, thrown.message, thrown.code);
    } finally {
      // Code for a call that the client has cancelled may still run.
      await context.idle();
      budget.clear();
    }
  }

  async #answer(req: HttpRequest, res: HttpResponse, received: Received): Promise<void> {
    const { body, context } = received;
    if (Array.isArray(body)) throw new RpcError(INVALID_REQUEST, ONE_MESSAGE);
    // The SDK rejects a value that is not a message.
    const message: Message = { jsonrpc: '2.0', ...(isObject(body) ? body : {}) };
    if (context.auth && !this.bearer?.mayAsk(message, context.auth, req, res)) return undefined;
    const plain = plainCallOf(req, body);
    if (plain) return this.#answerPlain(req, res, received, plain);
    const { sdk } = await this.connections.open();
    const version = req.header('mcp-protocol-version');
    if (sdk.isStateless(version, body)) return this.#answerStateless(req, res, received);
    if (version !== undefined && !sdk.isKnownVersion(version))
      return sendRpcError(res, 400, `Unsupported protocol version "${version}"`);

    const session = await this.#enter(req, res, message, received);
    if (!session) return undefined;
    if (isRequest(message) && session.isAnswering(message.id))
      throw new RpcError(INVALID_REQUEST, idInUse(message.id));
    await session.receive(message, res, context);
    if (!this.sessions) await session.close();
  }

  /** Call the tool without the SDK, which only writes an unusual outcome. */
  async #answerPlain(
    req: HttpRequest,
    res: HttpResponse,
    received: Received,
    call: PlainCall,
  ): Promise<void> {
    const { hub, limits } = this.connections;
    const reply = new Reply(res, limits.backpressureLimit);
    const text = await runPlainCall(call, received.context, req, hub, reply);
    if (res.raw.closed) return undefined;
    if (reply.isStreaming) {
      const made = text ?? (await (await this.#fetch(req, res, received)).text());
      reply.end(JSON.parse(made) as Message);
      return reply.done;
    }
    if (text === undefined) return this.#answerStateless(req, res, received);
    res.type('application/json').send(text);
  }

  async #answerStateless(req: HttpRequest, res: HttpResponse, received: Received): Promise<void> {
    const { body, size } = received;
    const { stopping: end, limits } = this.connections;
    const isStream = isObject(body) && body.method === 'subscriptions/listen';
    if (isStream && size > limits.sessionLimit) return tooMuch(res, limits, 'sessionLimit');
    if (isStream && end.aborted) return stopping(res);
    if (isStream) releaseVersion(res);
    const signal = isStream ? AbortSignal.any([req.signal, end]) : req.signal;
    const response = await this.#fetch(req, res, received, signal);
    return sendResponse(response, res, limits.backpressureLimit);
  }

  async #fetch(
    req: HttpRequest,
    res: HttpResponse,
    { body, context }: Received,
    signal = req.signal,
  ): Promise<Response> {
    const { answerStateless } = await this.connections.open();
    return answerStateless(webRequest(req, res, signal), body, context);
  }

  /** The message's session, or a new one that it begins; undefined if an error was sent instead. */
  async #enter(
    req: HttpRequest,
    res: HttpResponse,
    message: Message,
    { size, context: { auth } }: Received,
  ): Promise<HttpSession | undefined> {
    const { sessions, limits, stopping: end } = this.connections;
    const isStart = isRequest(message) && message.method === 'initialize';
    if (this.sessions && !isStart) return this.connections.sessionOf(req, auth) ?? noSession(req, res);
    if (this.sessions && end.aborted) return stopping(res);
    if (this.sessions && size > limits.sessionLimit) return tooMuch(res, limits, 'sessionLimit');
    const session = this.sessions ? sessions.begin(auth?.subject, size) : sessions.single(auth?.subject);
    if (!session) return noRoom(res);
    const { sdk } = await this.connections.open();
    await sdk.connect(session, session.budget);
    if (this.sessions) res.header('Mcp-Session-Id', session.sessionId);
    return session;
  }
}

/** Send a response of the SDK. A JSON response is sent in one piece, which costs less than a stream. */
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

/** The request of each response: the SDK keeps only its signal, which a collected request never aborts. */
const requests = new WeakMap<ServerResponse, Request>();

/** A request without its body in the SDK's form. `signal` aborts it until its response is complete. */
function webRequest(req: HttpRequest, res: HttpResponse, signal: AbortSignal): Request {
  const request = new Request(req.url, {
    method: req.method,
    headers: new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)])),
    signal,
  });
  requests.set(res.raw, request);
  return request;
}

const ONE_MESSAGE = 'The body must be one JSON-RPC 2.0 message: send each message in its own request';

/** Answer a request whose session is gone, so that its client begins a new one (MCP 2025-11-25). */
export const noSession = (req: HttpRequest, res: HttpResponse): undefined =>
  req.header('mcp-session-id') === undefined
    ? sendRpcError(res, 400, 'The Mcp-Session-Id header is missing: send an initialize request first')
    : sendRpcError(res, 404, 'The session does not exist or has ended: send an initialize request', -32001);

export function notAllowed(res: HttpResponse, methods: readonly string[]): undefined {
  res.header('Allow', methods.join(', '));
  return sendRpcError(res, 405, `This URL only supports ${methods.join(', ')}`);
}

/** Answer with 503: there is not enough memory for the request now (RFC 9110 §15.6.4). */
function noRoom(res: HttpResponse): undefined {
  res.header('Retry-After', 1);
  return sendRpcError(res, 503, NO_ROOM);
}

/** Answer with 413: the request is larger than the limit of that option. */
const tooMuch = (
  res: HttpResponse,
  limits: McpSettings,
  option: 'pendingLimit' | 'sessionLimit',
): undefined =>
  sendRpcError(
    res,
    413,
    `The request needs more memory than the limit of ${limits[option]} bytes (mcp.${option})`,
  );

export function stopping(res: HttpResponse): undefined {
  res.header('Connection', 'close').header('Retry-After', 1);
  return sendRpcError(res, 503, 'The server is shutting down: reconnect');
}

/** Answer with a JSON-RPC error that belongs to no request (MCP 2025-11-25, Streamable HTTP). */
export function sendRpcError(res: HttpResponse, status: number, message: string, code = -32000): undefined {
  res.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}

/**
 * Read the body, which the route leaves unread, as JSON. Rejects with an RpcError if it is not JSON,
 * too deep or beyond `budget`, with an HttpProblem if it is too large, and if the client disconnects.
 */
async function readJson({ body, raw }: HttpRequest, budget: ByteBudget, maxDepth: number): Promise<unknown> {
  // Newer versions of Node have already ended a request without a body.
  const text = hasBody(raw) ? (await collect(body as Readable, budget)).toString() : '';
  return parseMessage(text, maxDepth, 'body');
}

function collect(stream: Readable, budget: ByteBudget): Promise<Buffer> {
  const bytes = new Bytes();
  return new Promise((resolve, reject) => {
    const left = (): void =>
      reject(Object.assign(new Error('The client disconnected too early'), { code: 'ECONNRESET' }));
    if (stream.destroyed) return left();
    const take = (chunk: Buffer): void => {
      if (budget.take(chunk.length)) return bytes.add(chunk);
      stream.off('data', take);
      reject(new RpcError(-32000, NO_ROOM));
    };
    stream.on('data', take);
    stream.once('end', () => resolve(bytes.take()));
    stream.once('error', reject).once('close', left);
  });
}
