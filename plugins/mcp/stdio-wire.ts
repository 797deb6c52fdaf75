import type { Readable, Writable } from 'node:stream';
import { isMessage, isRequest, isResponse, type Message, type RequestId, type Wire } from './wire.js';

/** The longest line, in bytes: a client that never ends one must not fill the memory. */
const LONGEST = 67_108_864;
/** How long what is being answered may take once the client sends nothing more, in milliseconds. */
const LAST_ANSWERS = 10_000;

/** One client over stdin and stdout: a message is a line (MCP 2025-11-25, stdio). */
export class StdioWire implements Wire {
  onmessage?: NonNullable<Wire['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  /** Requests of the client's that have no answer yet. */
  readonly #unanswered = new Set<RequestId>();
  /** Requests of the server's that have no answer yet. */
  readonly #asked = new Set<RequestId>();
  #rest: Buffer[] = [];
  #size = 0;
  #ended = false;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#input.once('end', () => this.#end());
    this.#input.once('close', () => this.#end());
    this.#input.once('error', () => this.#end());
    // A client that is gone cannot be told anything.
    this.#output.once('error', () => void this.close());
  }

  async send(message: Message): Promise<void> {
    if (this.#closed) return;
    if (isRequest(message)) this.#asked.add(message.id);
    await new Promise<void>((resolve) => this.#output.write(`${JSON.stringify(message)}\n`, () => resolve()));
    if (isResponse(message) && message.id !== null && message.id !== undefined) this.#answered(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.pause();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(start, end)]).toString();
      this.#rest = [];
      this.#size = 0;
      start = end + 1;
      if (line.trim() !== '') this.#take(line);
    }
    this.#rest.push(chunk.subarray(start));
    this.#size += chunk.length - start;
    if (this.#size > LONGEST) void this.close();
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#refuse(-32700, 'The line is not valid JSON');
    }
    if (!isMessage(message)) return this.#refuse(-32600, 'The line is no JSON-RPC message');
    // A subscription is answered when it ends, and it ends with the client.
    if (isRequest(message)) {
      if (message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
    } else if (isResponse(message) && message.id !== null && message.id !== undefined) {
      this.#asked.delete(message.id);
    }
    this.onmessage?.(message);
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#answered(cancelled);
  }

  #refuse(code: number, message: string): void {
    void this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  }

  /** The client sends nothing more. What it has asked for is still answered, unless that waits for the client. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#unanswered.size === 0 || this.#asked.size > 0) return void this.close();
    setTimeout(() => void this.close(), LAST_ANSWERS).unref();
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#ended && this.#unanswered.size === 0) void this.close();
  }
}
