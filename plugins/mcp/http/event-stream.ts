import { Readable } from 'node:stream';
import type { HttpResponse } from '../../http/index.js';
import type { Message } from '../sdk/transport.js';

/** How often a comment keeps proxies from closing a silent stream, in milliseconds. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;

/** End a response of which too much waits: its end would wait to be read, too. Its head may be waiting as well. */
function cutOff(out: HttpResponse['raw']): void {
  if (out.headersSent) out.flushHeaders();
  out.destroy();
}

/** Messages to one client as server-sent events (HTML Living Standard §9.2). */
export class EventStream {
  readonly #source = new Readable({ read() {} });
  readonly #beat = setInterval(() => this.#push(': keepalive\n\n'), KEEP_ALIVE_INTERVAL_MS).unref();
  readonly #backpressureLimit: number;
  #res: HttpResponse | undefined;

  /** `backpressureLimit`: bytes that may wait for a client which reads slowly, before it is disconnected. */
  constructor(backpressureLimit: number) {
    this.#backpressureLimit = backpressureLimit;
    this.#source.once('close', () => clearInterval(this.#beat));
  }

  send(message: Message): void {
    this.#push(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    if (!this.#source.destroyed) this.#source.push(null);
  }

  /** Send all that another stream of events yields. Passed on as a stream, it would escape `backpressureLimit`. */
  async relay(events: ReadableStream<Uint8Array>): Promise<void> {
    const reader = events.getReader();
    this.#source.once('close', () => void reader.cancel().catch(() => {}));
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#push(next.value);
    this.end();
  }

  /** Send it as the response. Resolves when it has ended or its client has disconnected. */
  async pipe(res: HttpResponse): Promise<void> {
    this.#res = res;
    res.header('Cache-Control', 'no-cache, no-transform').header('X-Accel-Buffering', 'no');
    await res.type('text/event-stream').stream(this.#source);
  }

  #push(events: string | Uint8Array): void {
    if (this.#source.destroyed || this.#source.readableEnded) return;
    if (this.#source.readableLength <= this.#backpressureLimit) this.#source.push(events);
    else if (this.#res) cutOff(this.#res.raw);
    else this.#source.destroy();
  }
}
