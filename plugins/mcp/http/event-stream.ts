import { Readable } from 'node:stream';
import { Deferred } from '../../../kernel/index.js';
import type { HttpResponse } from '../../http/index.js';
import { isResponse, type Message, type RequestId } from '../sdk/transport.js';

/** Sends messages to one client as server-sent events (HTML Living Standard §9.2). */
export class EventStream {
  readonly #source = new Readable({ read() {} });
  readonly #beat = setInterval(() => this.#push(': keepalive\n\n'), KEEP_ALIVE_INTERVAL_MS).unref();
  #res: HttpResponse | undefined;

  /** `backpressureLimit`: the number of bytes that may be buffered before a slow client is disconnected. */
  constructor(private readonly backpressureLimit: number) {
    this.#source.once('close', () => clearInterval(this.#beat));
  }

  send(message: Message): void {
    this.#push(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    if (!this.#source.destroyed) this.#source.push(null);
  }

  /** Send every event of another stream. Piping the stream directly would bypass `backpressureLimit`. */
  async relay(events: ReadableStream<Uint8Array>): Promise<void> {
    const reader = events.getReader();
    this.#source.once('close', () => void reader.cancel().catch(() => {}));
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#push(next.value);
    this.end();
  }

  /** Send the stream as the response. Resolves when the stream has ended or its client has disconnected. */
  async pipe(res: HttpResponse): Promise<void> {
    this.#res = res;
    res.header('Cache-Control', 'no-cache, no-transform').header('X-Accel-Buffering', 'no');
    await res.type('text/event-stream').stream(this.#source);
  }

  #push(events: string | Uint8Array): void {
    if (this.#source.destroyed || this.#source.readableEnded) return;
    if (this.#source.readableLength <= this.backpressureLimit) this.#source.push(events);
    else if (this.#res) cutOff(this.#res.raw);
    else this.#source.destroy();
  }
}

/**
 * The response to one POST request: plain JSON if it contains only results, an event stream if any
 * other message is sent first. Most calls are answered with JSON, which costs a fraction of a
 * stream.
 */
export class Reply {
  readonly #done = new Deferred();
  readonly done = this.#done.promise;
  readonly #waiting: Set<RequestId>;
  readonly #results: Message[] = [];
  #stream: EventStream | undefined;

  constructor(
    private readonly res: HttpResponse,
    requests: readonly RequestId[],
    private readonly isBatch: boolean,
    private readonly backpressureLimit: number,
  ) {
    this.#waiting = new Set(requests);
  }

  take(message: Message): void {
    if (!isResponse(message)) return this.#open().send(message);
    if (this.#stream) this.#stream.send(message);
    else this.#results.push(message);
    if (message.id !== undefined && message.id !== null) this.leave(message.id);
  }

  /** Stop waiting for the result of a request, because it has arrived or never will. */
  leave(id: RequestId): void {
    if (!this.#waiting.delete(id) || this.#waiting.size > 0) return;
    if (this.#stream) return this.#stream.end();
    const [first] = this.#results;
    if (this.res.sent || this.res.raw.closed) this.#done.resolve();
    else {
      if (first === undefined) this.res.status(202).send('');
      else this.res.json(this.isBatch ? this.#results : first);
      this.#done.resolve();
    }
  }

  leaveAll(): void {
    for (const id of [...this.#waiting]) this.leave(id);
  }

  #open(): EventStream {
    if (!this.#stream) {
      this.#stream = new EventStream(this.backpressureLimit);
      for (const result of this.#results) this.#stream.send(result);
      this.#done.resolve(this.#stream.pipe(this.res));
    }
    return this.#stream;
  }
}

/** The interval of comments that keep proxies from closing an idle stream, in milliseconds. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;

/** Destroy the response, maybe before its head: `end()` would wait for a client that reads slowly. */
function cutOff(out: HttpResponse['raw']): void {
  if (out.headersSent) out.flushHeaders();
  out.destroy();
}
