import { type Annotated, type Endpoint, get, type RoutePath } from '../http/index.js';
import type { EventsHandler } from './events.js';
import { streamsOf } from './streams.js';

/**
 * Answer GET with server-sent events (WHATWG HTML §9.2):
 * `export default sse(({ ctx, send }) => ctx.news.subscribe(send))`. The stream ends when the handler is done. A
 * handler that returns a function keeps it open; the function runs when the stream ends. What it throws before the
 * first event is answered as in any handler; later, it is logged and breaks the stream off.
 */
export function sse<Path extends RoutePath = never>(
  handler: EventsHandler<Path>,
): Endpoint<'GET', Annotated<Path, unknown>> {
  if (typeof handler !== 'function') throw new TypeError('sse() takes a function that sends events');
  // The path types the handler only: what calls it knows no path.
  const of = handler as EventsHandler;
  return get((req, res, ctx) => streamsOf(req).run(of, req, res, ctx)).meta({ sse: true });
}
