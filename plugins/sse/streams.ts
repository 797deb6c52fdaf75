import { option } from '../../contributions/index.js';
import { type Clock, coded, type Logger, type OptionValues } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { logSafely, type RuntimeCtx, scopeLogger } from '../../scope/index.js';
import { sessionOf } from '../context/internal.js';
import { HttpProblem, type HttpRequest, type HttpResponse, type RoutePath } from '../http/index.js';
import type { Handover } from '../http/internal.js';
import type { EventCheck, EventsHandler } from './events.js';
import type { Stream } from './stream.js';

export const sseOptions = {
  /** The interval of comments that keep proxies from closing idle streams, in milliseconds; 0: none. */
  heartbeat: option.integer(15_000, { unit: 'milliseconds' }),
  /** Maximum number of bytes that are buffered for a slow client before it is disconnected. */
  backpressureLimit: option.integer(4_194_304, { unit: 'bytes' }),
};

type SseSettings = OptionValues<typeof sseOptions>;

const streaming = onDemand(() => import('./stream.js'));

/** Milliseconds after which a stream leaves that began while others left. */
const LATE_MS = 200;

export class Streams {
  readonly #open = new Set<Stream>();
  #isClosed = false;
  /** Set when another process replaces this one. */
  #handover: Handover | undefined;

  constructor(
    private readonly settings: SseSettings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  async run<Path extends RoutePath>(
    handler: EventsHandler<Path>,
    req: HttpRequest<Path>,
    res: HttpResponse,
    ctx: RuntimeCtx,
    check?: EventCheck,
  ): Promise<void> {
    if (this.#isClosed)
      throw new HttpProblem(503, 'The server is shutting down', undefined, { 'Retry-After': '1' });
    const { Stream } = await streaming();
    const onSlow = (waiting: number) =>
      logSafely(
        scopeLogger(this.logger, req),
        'warn',
        `SSE ${req.path} was cut off: its client left ${waiting} bytes unread (sse.backpressureLimit).`,
      );
    const stream = new Stream(req, res, { ...this.settings, onSlow, clock: this.clock });
    if (req.method === 'HEAD') return stream.begin();
    this.#open.add(stream);
    // `close` was called while the module was being loaded.
    if (this.#isClosed) stream.end();
    if (this.#handover) setTimeout(() => this.#leave(stream), LATE_MS);
    // The browser reconnects with its new session.
    const stop = sessionOf(req)?.onEnd?.(() => stream.end());
    try {
      await stream.feed(handler, req, ctx, check);
    } finally {
      stop?.();
      this.#open.delete(stream);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
  }

  /** Have another process continue the streams. Streams that cannot move end, and their clients reconnect. */
  async leave(handover?: Handover): Promise<void> {
    this.#handover = handover;
    if (!handover) return void [...this.#open].map((stream) => stream.end());
    await handover.forEach([...this.#open], (stream) => this.#leave(stream));
  }

  async #leave(stream: Stream): Promise<void> {
    if (!this.#handover || !(await stream.move(this.#handover))) stream.end();
  }
}

/** The streams of the version that serves a request, by request; for routes that answer with events. */
const serving = new WeakMap<object, Streams>();

export const serve = (req: HttpRequest, streams: Streams): void => void serving.set(req, streams);

export function streamsOf(req: object): Streams {
  const streams = serving.get(req);
  if (!streams)
    throw coded('FWK704', new Error('sse() needs the plugin "sse", which is disabled in fwk.config'));
  return streams;
}
