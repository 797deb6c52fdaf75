import type { ServerResponse } from 'node:http';
import type { Inspector, News } from './inspector.js';
import { OpenStreams } from './open-streams.js';
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

/** The pages that are open, and what they are told. */
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
