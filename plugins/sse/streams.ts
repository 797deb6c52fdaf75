import {
  type Clock,
  coded,
  type Logger,
  logSafely,
  onDemand,
  type RuntimeCtx,
  scopeLogger,
} from '../../kernel/index.js';
import { sessionOf } from '../context/index.js';
import { HttpProblem, type HttpRequest, type HttpResponse, type RoutePath } from '../http/index.js';
import type { EventCheck } from './event-check.js';
import type { EventsHandler } from './events.js';
import type { SseSettings } from './options.js';
import type { Stream } from './stream.js';

const streaming = onDemand(() => import('./stream.js'));

/** The streams that one version of a project has open. */
export class Streams {
  readonly #open = new Set<Stream>();
  readonly #settings: SseSettings;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #isClosed = false;

  constructor(settings: SseSettings, logger: Logger, clock: Clock) {
    this.#clock = clock;
    this.#settings = settings;
    this.#logger = logger;
  }

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
        scopeLogger(this.#logger, req),
        'warn',
        `SSE ${req.path} was cut off: its client left ${waiting} bytes unread (sse.backpressureLimit).`,
      );
    const stream = new Stream(req, res, { ...this.#settings, onSlow, clock: this.#clock });
    if (req.method === 'HEAD') return stream.begin();
    this.#open.add(stream);
    // Closed while the module above was being loaded.
    if (this.#isClosed) stream.end();
    // A browser connects again, as who it is then.
    const stop = sessionOf(req)?.onEnd?.(() => stream.end());
    try {
      await stream.feed(handler, req, ctx, check);
    } finally {
      stop?.();
      this.#open.delete(stream);
    }
  }

  /** End them all, and begin no more. */
  close(): void {
    this.#isClosed = true;
    this.leave();
  }

  /** Have all clients connect again, to another process. */
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
