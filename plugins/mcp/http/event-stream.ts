import { Readable } from 'node:stream';
import { Deferred } from '../../../kernel/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { Message } from '../sdk/transport.js';

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

/** The response to one request: JSON, or an event stream, which costs more, if messages precede the result. */
export class Reply {
  readonly #done = new Deferred();
  readonly done = this.#done.promise;
  #stream: EventStream | undefined;

  constructor(
    private readonly res: HttpResponse,
    private readonly backpressureLimit: number,
  ) {}

  get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  /** Send a message that precedes the result. */
  send(message: Message): void {
    if (!this.#stream) {
      this.#stream = new EventStream(this.backpressureLimit);
      this.#done.resolve(this.#stream.pipe(this.res));
    }
    this.#stream.send(message);
  }

  /** Send the result, if there is one: a cancelled request has none. */
  end(result?: Message): void {
    if (this.#stream) {
      if (result) this.#stream.send(result);
      return this.#stream.end();
    }
    if (!this.res.sent && !this.res.raw.closed) {
      if (result) this.res.json(result);
      else this.res.status(202).send('');
    }
    this.#done.resolve();
  }
}

/** The interval of comments that keep proxies from closing an idle stream, in milliseconds. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;

/** Destroy the response, maybe before its head: `end()` would wait for a client that reads slowly. */
function cutOff(out: HttpResponse['raw']): void {
  if (out.headersSent) out.flushHeaders();
  out.destroy();
}
