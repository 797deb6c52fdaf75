import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../../kernel/index.js';

/** Bytes that may wait for a page that does not read them. */
const MAX_WAITING_BYTES = 2_097_152;

/** Server-sent events to pages that are open. They end when the runtime closes. */
export class EventStreams {
  readonly #max: number;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  /** `max`: how many may be open. The oldest makes room for a new one. */
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

  /** Make a response a stream of events, which begins with `text`. */
  add(out: ServerResponse, text: string): void {
    // The connection is not used again: a shutdown would wait for it.
    out.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // nginx would hold small pieces back.
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Connection: 'close',
    });
    if (this.#isClosed || out.req.method === 'HEAD') return void out.end();
    for (const oldest of this.#open) {
      if (this.#open.size < this.#max) break;
      this.#open.delete(oldest);
      // Not by a last piece: a client that does not read it would keep the connection.
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
