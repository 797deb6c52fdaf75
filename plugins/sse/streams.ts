import { onDemand, type RuntimeCtx } from '../../kernel/index.js';
import { type CloveRequest, type CloveResponse, Refusal, type RoutePath } from '../http/index.js';
import type { EventsHandler } from './events.js';
import type { Stream } from './stream.js';

const streaming = onDemand(() => import('./stream.js'));

/** The streams that one generation of a project has open. */
export class Streams {
  readonly #open = new Set<Stream>();
  readonly #heartbeat: number;
  #isClosed = false;

  /** `heartbeat` is in milliseconds; 0 for none. */
  constructor(heartbeat: number) {
    this.#heartbeat = heartbeat;
  }

  async run<Path extends RoutePath>(
    handler: EventsHandler<Path>,
    req: CloveRequest<Path>,
    res: CloveResponse,
    ctx: RuntimeCtx,
  ): Promise<void> {
    if (this.#isClosed)
      throw new Refusal(503, 'The server is shutting down', undefined, { 'Retry-After': '1' });
    const { Stream } = await streaming();
    const stream = new Stream(req, res, this.#heartbeat);
    if (req.method === 'HEAD') return stream.begin();
    this.#open.add(stream);
    try {
      await stream.feed(handler, req, ctx);
    } finally {
      this.#open.delete(stream);
    }
  }

  /** End them all. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
  }
}

/** By request, where the route answers with events. */
const serving = new WeakMap<object, Streams>();

export const serve = (req: CloveRequest, streams: Streams): void => void serving.set(req, streams);

export function streamsOf(req: object): Streams {
  const streams = serving.get(req);
  if (!streams) throw new Error('sse() needs the plugin "sse", which is disabled in fwk.config');
  return streams;
}
