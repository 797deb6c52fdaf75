import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../kernel/index.js';

/** Bytes that may wait for one who does not read them. */
const MAX_WAITING_BYTES = 2_097_152;

/** Streams of server-sent events to pages that are open. The oldest makes room for one that is too many. */
export class OpenStreams {
  readonly #max: number;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  /** `max`: how many may be open. They end when `runtime` closes. */
  constructor(max: number, runtime: Runtime) {
    this.#max = max;
    runtime.onClose(() => {
      this.#isClosed = true;
      for (const out of this.#open) out.end();
    });
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Make a stream of a response, which begins with `text`. */
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
    // A shutdown would wait for one that comes while it has begun, too.
    if (this.#isClosed || out.req.method === 'HEAD') return void out.end();
    this.#makeRoom();
    out.write(text);
    this.#open.add(out);
    out.once('close', () => this.#open.delete(out));
  }

  tell(text: string): void {
    for (const out of this.#open) {
      if (out.writableLength > MAX_WAITING_BYTES) out.destroy();
      else out.write(text);
    }
  }

  /** Not by a last piece: who does not read would keep the connection. */
  #makeRoom(): void {
    for (const oldest of this.#open) {
      if (this.#open.size < this.#max) return;
      this.#open.delete(oldest);
      oldest.destroy();
    }
  }
}
