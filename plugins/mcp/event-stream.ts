import { Readable } from 'node:stream';
import type { CloveResponse } from '../http/index.js';
import type { Message } from './wire.js';

/** A comment now and then keeps proxies from closing a stream that is silent. In milliseconds. */
const KEEP_ALIVE = 15_000;
/** What a client may leave unread before it is cut off, in bytes. */
const UNREAD_LIMIT = 16_777_216;

/** Messages to one client as server-sent events (HTML Living Standard §9.2). */
export class EventStream {
  readonly #source = new Readable({ read() {} });
  readonly #beat = setInterval(() => this.#push(': keepalive\n\n'), KEEP_ALIVE).unref();

  constructor() {
    this.#source.once('close', () => clearInterval(this.#beat));
  }

  send(message: Message): void {
    this.#push(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    if (!this.#source.destroyed) this.#source.push(null);
  }

  /** Send it as the response. Resolves when it has ended, or its client has gone. */
  async pipe(res: CloveResponse): Promise<void> {
    res.header('Cache-Control', 'no-cache, no-transform').header('X-Accel-Buffering', 'no');
    await res.type('text/event-stream').stream(this.#source);
  }

  #push(text: string): void {
    if (this.#source.destroyed || this.#source.readableEnded) return;
    if (this.#source.readableLength > UNREAD_LIMIT) this.#source.destroy();
    else this.#source.push(text);
  }
}
