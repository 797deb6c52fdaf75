import { option } from '../../contributions/index.js';
import { type Clock, coded, type Logger, type OptionValues } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { logSafely, type RuntimeCtx, scopeLogger } from '../../scope/index.js';
import { sessionOf } from '../context/internal.js';
import { HttpProblem, type HttpRequest, type HttpResponse, type RoutePath } from '../http/index.js';
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

export class Streams {
  readonly #open = new Set<Stream>();
  #isClosed = false;

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
    this.leave();
  }

  /** End all streams, so that clients reconnect to another process. */
  leave(): void {
    for (const stream of this.#open) stream.end();
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
