import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Clock, Project, Timer } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { logSafely } from '../../../scope/index.js';
import type { HttpRequest, HttpResponse } from '../../http/index.js';
import { type CallContext, logFailures } from '../calls/client.js';
import type { Identity } from '../definitions/call.js';
import type { Hub } from '../hub.js';
import type { McpSettings } from '../options.js';
import { ByteBudget } from '../sdk/byte-budget.js';
import { authInfoOf, openSdk } from '../sdk/server.js';
import { isRequest, isResponse, type Message, type RequestId, type Transport } from '../sdk/transport.js';
import { EventStream, Reply } from './event-stream.js';

/** One client over HTTP: the transport of its server. Without a session ID, it serves one request. */
export class HttpSession implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  usedAt: number;
  readonly values = new Map<string, unknown>();
  readonly #replies = new Map<RequestId, Reply>();
  #stream: EventStream | undefined;

  constructor(
    readonly sessionId: string,
    /** The user that the session belongs to; undefined without `mcp/auth`. No other user may use it. */
    readonly subject: Identity['subject'] | undefined,
    /** Maximum bytes that are buffered for a slow client. */
    readonly backpressureLimit: number,
    /** The budget for stored client data. */
    readonly budget: ByteBudget,
    readonly clock: Clock,
  ) {
    this.usedAt = clock.now();
  }

  async start(): Promise<void> {}

  /** Send a message: in the response to the request that it belongs to, or on the client's own stream. */
  async send(message: Message, options?: { readonly relatedRequestId?: RequestId }): Promise<void> {
    const id = isResponse(message) ? message.id : options?.relatedRequestId;
    if (id === undefined || id === null) return this.#stream?.send(message);
    const reply = this.#replies.get(id);
    if (!isResponse(message)) return reply?.send(message);
    this.#replies.delete(id);
    reply?.end(message);
  }

  /** Whether a request with this ID is being answered (JSON-RPC 2.0 §4). */
  isAnswering(id: RequestId): boolean {
    return this.#replies.has(id);
  }

  /** Pass the client's message to the server. Resolves when it has been answered. */
  async receive(message: Message, res: HttpResponse, context: CallContext): Promise<void> {
    context.sessionId = this.sessionId || undefined;
    this.usedAt = this.clock.now();
    const reply = isRequest(message) ? new Reply(res, this.backpressureLimit) : undefined;
    if (reply && isRequest(message)) this.#replies.set(message.id, reply);
    this.onmessage?.(message, { authInfo: authInfoOf(context) });
    if (message.method === 'notifications/cancelled') this.#cancelled(message);
    if (reply) await reply.done;
    else res.status(202).send('');
    this.usedAt = this.clock.now();
  }

  /** Open the stream for messages of no request, in place of one that the client may have lost. */
  listen(): EventStream {
    this.#stream?.end();
    this.#stream = new EventStream(this.backpressureLimit);
    return this.#stream;
  }

  left(stream: EventStream): void {
    if (this.#stream === stream) this.#stream = undefined;
    this.usedAt = this.clock.now();
  }

  get isBusy(): boolean {
    return this.#stream !== undefined || this.#replies.size > 0;
  }

  /** End the stream, so that it does not keep the process alive. Requests are still answered. */
  hangUp(): void {
    this.#stream?.end();
  }

  async close(): Promise<void> {
    this.hangUp();
    for (const reply of this.#replies.values()) reply.end();
    this.#replies.clear();
    this.onclose?.();
  }

  /** The server does not answer cancelled requests. */
  #cancelled({ params }: Message): void {
    const id = params?.requestId;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    reply?.end();
  }
}

/** The SDK files that Node 20 may read at once: the SDK's zod has a file for each of 50 languages. */
const SDK_DESCRIPTORS = 128;

/** The part of the endpoint that outlives versions of the project. */
export class Connections {
  readonly sessions: Sessions;
  readonly pending: ByteBudget;
  /** The SDK, loaded by the first request. A server that only serves pages starts without it. */
  readonly open: () => ReturnType<typeof open>;

  constructor(
    readonly hub: Hub,
    readonly limits: McpSettings,
    project: Project,
  ) {
    this.pending = new ByteBudget(limits.pendingLimit);
    this.open = onDemand(() => open(hub, project), SDK_DESCRIPTORS);
    this.sessions = new Sessions(limits, project);
  }

  sessionOf(req: HttpRequest, identity: Identity | undefined): HttpSession | undefined {
    const id = req.header('mcp-session-id');
    return id === undefined ? undefined : this.sessions.find(id, identity?.subject);
  }

  get stopping(): AbortSignal {
    return this.hub.stopping;
  }

  /** End everything that would never end otherwise. Requests are still answered. */
  hangUp(): void {
    this.hub.stop();
    this.sessions.hangUp();
  }
}

async function open(hub: Hub, project: Project) {
  const sdk = await openSdk(hub, logFailures(project));
  return { sdk, answerStateless: sdk.stateless() };
}

/** The interval between checks for unused sessions, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

/** Memory of one session, excluding what its client sends, in bytes. */
const SESSION_OVERHEAD_BYTES = 8_192;

/** Channels of `node:diagnostics_channel`; the message of both has the `sessionId`. */
const SESSION_START = channel('fwk.mcp.session.start');
const SESSION_END = channel('fwk.mcp.session.end');

class Sessions {
  /** Sorted from least to most recently used. */
  readonly #all = new Map<string, HttpSession>();
  readonly #budget: ByteBudget;
  readonly #sweeping: Timer;
  #warnsAgainAt = 0;

  constructor(
    private readonly limits: McpSettings,
    private readonly project: Project,
  ) {
    this.#sweeping = project.clock.setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
    this.#sweeping.unref();
    this.#budget = new ByteBudget(limits.sessionsLimit, undefined, (missing) => this.#makeRoom(missing));
  }

  /** Begin a session that initially takes `bytes`. Returns undefined if there is not enough memory. */
  begin(subject: string | undefined, bytes: number): HttpSession | undefined {
    const { sessionLimit, backpressureLimit } = this.limits;
    const budget = new ByteBudget(SESSION_OVERHEAD_BYTES + sessionLimit, this.#budget);
    if (!budget.take(SESSION_OVERHEAD_BYTES + bytes)) return undefined;
    const session = new HttpSession(randomUUID(), subject, backpressureLimit, budget, this.project.clock);
    const { sessionId } = session;
    this.#all.set(sessionId, session);
    if (SESSION_START.hasSubscribers) SESSION_START.publish({ sessionId });
    return session;
  }

  /** A session without an ID, for one request. */
  single(subject: string | undefined): HttpSession {
    const { sessionLimit, backpressureLimit } = this.limits;
    return new HttpSession('', subject, backpressureLimit, new ByteBudget(sessionLimit), this.project.clock);
  }

  find(id: string, subject: string | undefined): HttpSession | undefined {
    const session = this.#all.get(id);
    if (!session || session.subject !== subject) return undefined;
    this.#all.delete(id);
    this.#all.set(id, session);
    return session;
  }

  async end(session: HttpSession): Promise<void> {
    const { sessionId } = session;
    if (this.#all.delete(sessionId)) {
      session.budget.clear();
      if (SESSION_END.hasSubscribers) SESSION_END.publish({ sessionId });
    }
    await session.close();
  }

  /** End all streams. Requests that are being answered continue. */
  hangUp(): void {
    this.project.clock.clear(this.#sweeping);
    for (const session of this.#all.values()) session.hangUp();
  }

  #sweep(): void {
    const limit = this.project.clock.now() - this.limits.sessionIdle * 1000;
    for (const session of this.#all.values())
      if (session.usedAt < limit && !session.isBusy) void this.end(session);
  }

  /** End the least recently used sessions. Their clients get a 404 and begin new sessions. */
  #makeRoom(missing: number): void {
    for (const session of this.#all.values()) {
      if (missing <= 0) return;
      if (session.isBusy) continue;
      missing -= session.budget.taken;
      this.#warn();
      void this.end(session);
    }
  }

  #warn(): void {
    const now = this.project.clock.now();
    if (now < this.#warnsAgainAt) return;
    this.#warnsAgainAt = now + SWEEP_INTERVAL_MS;
    const text =
      'The MCP sessions exceed mcp.sessionsLimit, so the session that was unused for longest ends.';
    logSafely(this.project.logger, 'warn', text);
  }
}
