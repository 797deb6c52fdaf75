import type { RuntimeCtx } from '../../kernel/index.js';
import {
  type Endpoint,
  get,
  type HttpRequest,
  type HttpResponse,
  type ParamsOf,
  type RoutePath,
} from '../http/index.js';
import type { EventFields } from './event.js';
import { streamsOf } from './streams.js';

/** A stream of events to one client, as the handler of `sse` sees it. */
export interface Events<Path extends RoutePath = never> {
  readonly req: HttpRequest<Path>;
  /** For headers and cookies, before the first event. */
  readonly res: HttpResponse;
  readonly ctx: RuntimeCtx;
  /** Values of the bracketed segments, decoded; always strings. */
  readonly params: ParamsOf<Path>;
  /** The id of the last event that the client got before it connected again; undefined at first. */
  readonly lastEventId: string | undefined;
  /** Aborts when the stream ends: the client is gone, the code has changed, the server shuts down. */
  readonly signal: AbortSignal;
  /**
   * Send an event without a name, which `EventSource.onmessage` gets: text as it is, anything else as JSON. Resolves when
   * the client can take more. After the end nothing is sent. Throws TypeError for what JSON has no text for.
   */
  send(data: unknown, fields?: EventFields): Promise<void>;
  /** Send an event with a name, for `addEventListener(event, …)`. */
  emit(event: string, data: unknown, fields?: EventFields): Promise<void>;
  /** Send a line that clients ignore. */
  comment(text: string): Promise<void>;
  /** End the stream. A browser connects again. */
  close(): void;
}

/** Feeds one stream. The stream ends when it is done; if it returns a function, it ends with the client and runs that. */
export type EventsHandler<Path extends RoutePath = never> = (events: Events<Path>) => unknown;

/**
 * Answer GET with server-sent events (WHATWG HTML §9.2):
 * `export default sse(({ ctx, send }) => ctx.news.subscribe(send))`. The stream ends when the handler is done. A handler
 * that returns a function keeps it open; the function runs when the stream ends. What it throws before the first event
 * is answered as in any handler; later, it is logged and cuts the stream.
 */
export function sse<Path extends RoutePath = never>(handler: EventsHandler<Path>): Endpoint<'GET', Path> {
  if (typeof handler !== 'function') throw new TypeError('sse() takes a function that sends events');
  return get<Path>((req, res, ctx) => streamsOf(req).run(handler, req, res, ctx)).meta({ sse: true });
}
