import type { Readable, Writable } from 'node:stream';
import { isObject, type Runtime, type Serving, slotKey } from '../../../kernel/index.js';
import { scopesOf } from '../../../scope/index.js';
import { Guest } from '../../context/internal.js';
import { ActiveWork, Bytes, httpSettingsOf } from '../../http/internal.js';
import { CallContext, INVALID_REQUEST, logFailures, type Offering, RpcError } from '../calls/client.js';
import type { Hub } from '../hub.js';
import type { McpSettings } from '../options.js';
import { ByteBudget, CALL_OVERHEAD_BYTES, sizeOf } from '../sdk/byte-budget.js';
import { openSdk } from '../sdk/server.js';
import {
  idInUse,
  isRequest,
  isResponse,
  type Message,
  NO_ROOM,
  parseMessage,
  type RequestId,
  type Transport,
} from '../sdk/transport.js';
import { Visitor } from '../visitor.js';
import { type StdioLink, stdioLink } from './link.js';

const CALLS = slotKey<ActiveWork>('mcp.calls');

/** Let a version answer the client at stdin and stdout, which is one visitor. */
export async function serveStdio(
  hub: Hub,
  offering: Offering,
  { runtime, onActivate, onStart, onClose }: Serving,
  settings: McpSettings,
): Promise<void> {
  const limits = { ...settings, maxJsonDepth: httpSettingsOf(offering.project).maxJsonDepth };
  const link = await stdioLink(runtime);
  // Calls that waited for this version continue as soon as it is active, before it starts.
  onActivate(() => {
    const before = link.offering;
    link.offering = offering;
    return () => {
      link.offering = before;
    };
  });
  onClose(() => callsOf(offering).idle());
  onStart(async () => {
    hub.serve(offering);
    await runtime.getOrCreate('mcp.transport', () => connect(hub, link, runtime, limits));
  });
}

async function connect(hub: Hub, link: StdioLink, runtime: Runtime, limits: TransportLimits): Promise<void> {
  const values = new Map<string, unknown>();
  const guest = new Guest(new Visitor(() => values), 'an MCP call over stdio');
  const sdk = await openSdk(hub, logFailures(hub.offering.project), async () => {
    // The operating system may report a message before a file change that preceded it; after one
    // turn of the event loop, both have been noticed.
    await new Promise(setImmediate);
    // A call waits for a version that is being loaded, like a request does.
    while (runtime.reloading) await runtime.reloading;
    const { offering = hub.offering } = link;
    const scope = scopesOf(offering.project).open(guest);
    const finish = callsOf(offering).begin();
    return {
      context: new CallContext(offering, scope.ctx, undefined, undefined),
      async close() {
        await scope.close();
        finish();
      },
    };
  });
  const transport = new StdioTransport(process.stdin, link.output, limits, sdk.isMessage);
  await sdk.serveStdio(transport, transport.budget);
  // Running calls are aborted, because nothing could receive their answers.
  runtime.onClose(() => transport.close());
  link.isConnected = true;
  // The SDK has already set its own callback.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    link.end();
  };
}

const callsOf = ({ project }: Offering): ActiveWork => project.slot(CALLS, () => new ActiveWork());

interface TransportLimits extends McpSettings {
  /** Maximum nesting depth of lists and objects in one message. */
  readonly maxJsonDepth: number;
}

/** How long the last answers may take after the client has closed its output, in milliseconds. */
const LAST_ANSWERS_TIMEOUT_MS = 400;

/** One client over stdin and stdout. Each message is a line (MCP 2025-11-25, stdio). */
class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly budget: ByteBudget;
  readonly #pending: ByteBudget;
  /** Unanswered requests from the client, with their sizes in bytes. */
  readonly #unanswered = new Map<RequestId, number>();
  /** Subscription requests, with their bytes: answered when they end, at the latest with the client. */
  readonly #listening = new Map<RequestId, number>();
  /** Unanswered requests from the server. */
  readonly #requests = new Set<RequestId>();
  /** The start of an incomplete line. */
  #rest = new Bytes();
  /** Whether the incomplete line is too long, so that the rest of it is dropped. */
  #skips = false;
  #ended = false;
  #closed = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly limits: TransportLimits,
    private readonly isMessage: (value: unknown) => value is Message,
  ) {
    this.budget = new ByteBudget(limits.sessionLimit);
    this.#pending = new ByteBudget(limits.pendingLimit);
  }

  async start(): Promise<void> {
    this.input.on('data', (chunk: Buffer) => this.#read(chunk));
    this.input.once('end', () => this.#end());
    this.input.once('close', () => this.#end());
    this.input.once('error', () => this.#end());
    // Nothing can be sent to a disconnected client.
    this.output.once('error', () => void this.close());
  }

  async send(message: Message): Promise<void> {
    if (this.#closed) return;
    if (this.output.writableLength > this.limits.backpressureLimit) return this.close();
    if (isRequest(message)) this.#requests.add(message.id);
    await new Promise<void>((resolve) => this.output.write(`${JSON.stringify(message)}\n`, () => resolve()));
    if (isResponse(message)) this.#answered(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.input.pause();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#gather(chunk.subarray(start, end));
      start = end + 1;
      const line = this.#rest.take().toString();
      this.#rest = new Bytes();
      if (!this.#skips && line.trim() !== '') this.#take(line);
      this.#skips = false;
    }
    this.#gather(chunk.subarray(start));
  }

  #gather(chunk: Buffer): void {
    if (this.#skips || chunk.length === 0) return;
    const { bodyLimit } = this.limits;
    if (this.#rest.size + chunk.length <= bodyLimit) return this.#rest.add(chunk);
    this.#skips = true;
    this.#rest = new Bytes();
    this.#sendError(null, `A line is longer than the limit of ${bodyLimit} bytes (mcp.bodyLimit)`);
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = parseMessage(line, this.limits.maxJsonDepth, 'line');
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      return this.#sendError(null, thrown.message, thrown.code);
    }
    if (!this.isMessage(message))
      return this.#sendError(requestIdIn(message), 'The line is not a valid JSON-RPC message');
    if (isRequest(message) && !this.#admit(message)) return;
    if (isResponse(message)) this.#requests.delete(message.id);
    this.onmessage?.(message);
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#answered(cancelled);
  }

  /** Whether a request can be answered. If not, an error was sent. */
  #admit(message: Message & { readonly id: RequestId }): boolean {
    const { id, method } = message;
    const listens = method === 'subscriptions/listen';
    const size = sizeOf(message) + (listens ? 0 : CALL_OVERHEAD_BYTES);
    if (this.#unanswered.has(id) || this.#listening.has(id)) this.#sendError(null, idInUse(id));
    else if (!(listens ? this.budget : this.#pending).take(size))
      this.#sendError(id, listens ? TOO_MUCH : NO_ROOM, -32000);
    else return !!(listens ? this.#listening : this.#unanswered).set(id, size);
    return false;
  }

  #sendError(id: RequestId | null, message: string, code = INVALID_REQUEST): void {
    void this.output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  /** The client has closed its output. Its requests are still answered, unless they wait for the client. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#unanswered.size === 0 || this.#requests.size > 0) return void this.close();
    setTimeout(() => void this.close(), LAST_ANSWERS_TIMEOUT_MS).unref();
  }

  #answered(id: RequestId): void {
    this.#pending.give(this.#unanswered.get(id) ?? 0);
    this.#unanswered.delete(id);
    this.budget.give(this.#listening.get(id) ?? 0);
    this.#listening.delete(id);
    if (this.#ended && this.#unanswered.size === 0) void this.close();
  }
}

/** The ID of an invalid request, so that its sender does not wait for an answer. */
const requestIdIn = (value: unknown): RequestId | null =>
  isObject(value) &&
  typeof value.method === 'string' &&
  (typeof value.id === 'string' || Number.isInteger(value.id))
    ? (value.id as RequestId)
    : null;

const TOO_MUCH = 'This client has too many subscriptions (mcp.sessionLimit): end a subscription first';
