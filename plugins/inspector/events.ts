import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../kernel/index.js';
import type { Inspector, News } from './inspector.js';
import type { RequestRecord } from './record.js';
import { shownRequest } from './views.js';

/** Milliseconds for which news are gathered before they are sent. */
const GATHER_MS = 60;
/** The same while much happens: each time, a page draws all that it lists, and may read the whole state. */
const BUSY_MS = 500;
/** So many requests in that time are much. */
const BUSY_REQUESTS = 20;
/** Pages that may be open. */
const MAX_PAGES = 20;

/** Sends changes to the inspector pages that are open. */
export class EventPages implements News {
  readonly #open: OpenStreams;
  readonly #requests = new Set<RequestRecord>();
  #hasState = false;
  #timer: NodeJS.Timeout | undefined;
  #wait = GATHER_MS;
  /** When pages were last told that the state has changed, by `performance.now()`. */
  #toldState = Number.NEGATIVE_INFINITY;

  constructor(inspector: Inspector) {
    inspector.listen(this);
    this.#open = new OpenStreams(MAX_PAGES, inspector.runtime);
    inspector.runtime.onClose(() => clearTimeout(this.#timer));
  }

  add(out: ServerResponse): void {
    this.#open.add(out, 'retry: 500\n\nevent: state\ndata: {}\n\n');
  }

  request(record: RequestRecord): void {
    if (this.#open.isEmpty) return;
    this.#requests.add(record);
    this.#gather();
  }

  state(): void {
    if (this.#open.isEmpty) return;
    this.#hasState = true;
    this.#gather();
  }

  #gather(): void {
    this.#timer ??= setTimeout(() => this.#tell(), this.#wait).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    const now = performance.now();
    const isBusy =
      this.#requests.size >= BUSY_REQUESTS || (this.#hasState && now - this.#toldState < BUSY_MS);
    this.#wait = isBusy ? BUSY_MS : GATHER_MS;
    if (this.#hasState) this.#toldState = now;
    // Under load, only what is kept.
    const requests = [...this.#requests].slice(-100).map(shownRequest);
    const text =
      (requests.length > 0 ? `event: requests\ndata: ${JSON.stringify(requests)}\n\n` : '') +
      (this.#hasState ? 'event: state\ndata: {}\n\n' : '');
    this.#requests.clear();
    this.#hasState = false;
    this.#open.tell(text);
  }
}

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
