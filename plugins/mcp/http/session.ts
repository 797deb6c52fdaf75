import type { Clock } from '../../../kernel/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { CallContext } from '../calls/call-context.js';
import type { Identity } from '../definitions/call.js';
import type { ByteBudget } from '../sdk/byte-budget.js';
import { authInfoOf } from '../sdk/server.js';
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
