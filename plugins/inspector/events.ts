import type { ServerResponse } from 'node:http';
import type { Inspector, News } from './inspector.js';
import { OpenStreams } from './open-streams.js';
import type { RequestRecord } from './record.js';
import { shownRequest } from './views.js';

/** Milliseconds for which news are gathered before they are sent. */
const GATHER_MS = 60;
/** Pages that may be open. */
const MAX_PAGES = 20;

/** The pages that are open, and what they are told. */
export class EventPages implements News {
  readonly #open: OpenStreams;
  readonly #requests = new Set<RequestRecord>();
  #hasState = false;
  #timer: NodeJS.Timeout | undefined;

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
    this.#open.tell(text);
  }
}
