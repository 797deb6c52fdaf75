import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../../kernel/index.js';

/** Bytes that may be buffered for a page that doesn't read them. */
const MAX_WAITING_BYTES = 2_097_152;

/** Server-sent events to open pages. The streams end when the runtime closes. */
export class EventStreams {
  readonly #max: number;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  /** `max`: the number of streams that may be open. A new one replaces the oldest. */
  constructor(max: number, runtime: Runtime) {
    this.#max = max;
    runtime.onClose(() => {
      this.#isClosed = true;
      this.end();
    });
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Turn a response into an event stream that begins with `text`. */
  add(out: ServerResponse, text: string): void {
    // The connection isn't reused, because a shutdown would wait for it.
    out.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Without this, nginx buffers small pieces.
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Connection: 'close',
    });
    if (this.#isClosed || out.req.method === 'HEAD') return void out.end();
    for (const oldest of this.#open) {
      if (this.#open.size < this.#max) break;
      this.#open.delete(oldest);
      // Destroyed without a final piece: a client that doesn't read it would keep the connection open.
      oldest.destroy();
    }
    out.write(text);
    this.#open.add(out);
    out.once('close', () => this.#open.delete(out));
  }

  send(text: string): void {
    for (const out of this.#open) {
      if (out.writableLength > MAX_WAITING_BYTES) out.destroy();
      else out.write(text);
    }
  }

  end(text = ''): void {
    for (const out of this.#open) out.end(text);
    this.#open.clear();
  }
}
