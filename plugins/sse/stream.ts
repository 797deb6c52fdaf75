import { Readable } from 'node:stream';
import type { RuntimeCtx } from '../../kernel/index.js';
import { type CloveRequest, type CloveResponse, isThenable, type RoutePath } from '../http/index.js';
import { commentText, type EventFields, eventText } from './event.js';
import type { Events, EventsHandler } from './events.js';

/**
 * How long the head waits for a first event, in milliseconds: until then an error can be answered with its status. A
 * client counts as connected only when it has the head.
 */
const PATIENCE = 100;

/** One response that consists of events. */
export class Stream {
  readonly #res: CloveResponse;
  readonly #req: CloveRequest;
  readonly #source: Readable;
  readonly #abort = new AbortController();
  readonly #heartbeat: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #room: Promise<void> | undefined;

  constructor(req: Pick<CloveRequest, 'signal' | 'header'>, res: CloveResponse, heartbeat: number) {
    this.#req = req as CloveRequest;
    this.#res = res;
    this.#heartbeat = heartbeat;
    this.#source = new Readable({ read: () => this.#wake?.() });
    // `no-transform` is not said: a proxy may compress. nginx, which would collect the events, is told not to.
    res.type('text/event-stream').header('Cache-Control', 'no-cache').header('X-Accel-Buffering', 'no');
    if (req.signal.aborted) this.end();
    else req.signal.addEventListener('abort', () => this.end(), { once: true });
  }

  /** Send the head. */
  async begin(): Promise<void> {
    this.#sending ??= this.#res.stream(this.#source);
    await this.#sending;
  }

  /** Run the handler, and resolve when the stream has ended. Rejects with what the handler throws. */
  async feed<Path extends RoutePath>(
    handler: EventsHandler<Path>,
    req: CloveRequest<Path>,
    ctx: RuntimeCtx,
  ): Promise<void> {
    const patience = setTimeout(() => this.#start(), PATIENCE);
    if (this.#heartbeat > 0) this.#timer = setInterval(() => void this.#write(': \n\n'), this.#heartbeat);
    try {
      const result = handler(this.#tools(req, ctx));
      const stop: unknown = isThenable(result) ? await result : result;
      if (typeof stop === 'function') {
        this.#start();
        await this.#ended();
        await stop();
      }
      this.end();
      await this.begin();
    } catch (thrown) {
      // What was sent is cut off, so that the client knows that something is missing.
      if (this.#sending) this.#source.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw thrown;
    } finally {
      clearTimeout(patience);
      this.end();
    }
  }

  /** Send nothing more. */
  end(): void {
    if (this.#abort.signal.aborted) return;
    clearInterval(this.#timer);
    this.#source.push(null);
    this.#abort.abort();
    this.#wake?.();
  }

  #start(): void {
    // How it went is told by `begin`.
    this.begin().catch(() => {});
  }

  async #ended(): Promise<void> {
    const { signal } = this.#abort;
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** Resolves when there is room for more. */
  async #write(text: string): Promise<void> {
    // A loop that only sends must not keep the process from hearing that the client has gone.
    if (this.#abort.signal.aborted) return new Promise((resolve) => setImmediate(resolve));
    this.#start();
    this.#timer?.refresh();
    if (this.#source.push(text)) return;
    this.#room ??= new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        this.#room = undefined;
        resolve();
      };
    });
    await this.#room;
  }

  #tools<Path extends RoutePath>(req: CloveRequest<Path>, ctx: RuntimeCtx): Events<Path> {
    const emit = (event: string | undefined, data: unknown, fields: EventFields = {}) =>
      this.#write(eventText(event, data, fields));
    return {
      req,
      ctx,
      res: this.#res,
      params: req.params,
      lastEventId: this.#req.header('last-event-id'),
      signal: this.#abort.signal,
      send: (data, fields) => emit(undefined, data, fields),
      emit,
      comment: (text) => this.#write(commentText(text)),
      close: () => this.end(),
    };
  }
}
