import type { ServerResponse } from 'node:http';
import type { EventStreams, pageKit } from '../http/internal.js';
import type { Inspector } from './inspector.js';
import type { RequestRecord } from './record.js';
import { shownRequest } from './views.js';

/** How long changes are collected before they are sent, in milliseconds: a page renders all again. */
const GATHER_MS = 200;
/** Maximum number of open inspector pages. */
const MAX_PAGES = 20;

export class EventPages {
  readonly #open: EventStreams;
  readonly #requests = new Set<RequestRecord>();
  #hasState = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ runtime, news }: Inspector, kit: Awaited<ReturnType<typeof pageKit>>) {
    this.#open = new kit.EventStreams(MAX_PAGES, runtime);
    runtime.onClose(() => clearTimeout(this.#timer));
    news.on('request', (record) => {
      if (!this.#open.isEmpty) this.#requests.add(record);
      this.#gather();
    });
    news.on('state', () => {
      this.#hasState = true;
      this.#gather();
    });
  }

  add(out: ServerResponse): void {
    this.#open.add(out, 'retry: 500\n\nevent: state\ndata: {}\n\n');
  }

  #gather(): void {
    if (!this.#open.isEmpty) this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    // Under load, send only the requests that the recorder still stores.
    const requests = [...this.#requests].slice(-100).map(shownRequest);
    if (requests.length > 0) this.#open.send(`event: requests\ndata: ${JSON.stringify(requests)}\n\n`);
    if (this.#hasState) this.#open.send('event: state\ndata: {}\n\n');
    this.#requests.clear();
    this.#hasState = false;
  }
}
