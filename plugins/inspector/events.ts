import type { ServerResponse } from 'node:http';
import type { Inspector, News } from './inspector.js';
import type { RequestRecord } from './record.js';
import { shownRequest } from './views.js';

/** Milliseconds for which news are gathered before they are sent. */
const GATHER_MS = 60;
/** Pages that may be open, and bytes that may wait for one of them. */
const MAX_PAGES = 20;
const MAX_WAITING_BYTES = 2_097_152;

/** The pages that are open, and what they are told. */
export class EventPages implements News {
  readonly #open = new Set<ServerResponse>();
  readonly #requests = new Set<RequestRecord>();
  #hasState = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(inspector: Inspector) {
    inspector.listen(this);
    inspector.runtime.onClose(() => {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      for (const out of this.#open) out.end();
    });
  }

  add(out: ServerResponse): void {
    const [oldest] = this.#open;
    if (this.#open.size === MAX_PAGES) oldest?.end();
    // The connection is not used again: a shutdown would wait for it.
    out.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    });
    // A shutdown would wait for one that comes while it has begun, too.
    if (this.#isClosed) return void out.end();
    out.write('retry: 500\n\nevent: state\ndata: {}\n\n');
    this.#open.add(out);
    out.once('close', () => this.#open.delete(out));
  }

  request(record: RequestRecord): void {
    if (this.#open.size === 0) return;
    this.#requests.add(record);
    this.#gather();
  }

  state(): void {
    if (this.#open.size === 0) return;
    this.#hasState = true;
    this.#gather();
  }

  #gather(): void {
    this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    // Under load, only what is kept.
    const requests = [...this.#requests].slice(-100).map(shownRequest);
    const text =
      (requests.length > 0 ? `event: requests\ndata: ${JSON.stringify(requests)}\n\n` : '') +
      (this.#hasState ? 'event: state\ndata: {}\n\n' : '');
    this.#requests.clear();
    this.#hasState = false;
    for (const out of this.#open) {
      if (out.writableLength > MAX_WAITING_BYTES) out.destroy();
      else out.write(text);
    }
  }
}
