import {
  type Annotated,
  DefinitionError,
  type Endpoint,
  get,
  type Parts,
  type RouteMeta,
  type RoutePath,
  type StandardSchema,
} from '../http/index.js';
import { type AnyParams, definedEndpoint, definitionOf, type ParamsOf } from '../http/internal.js';
import type {
  CheckedEventsHandler,
  EventSchemas,
  EventStream,
  EventsDefinition,
  EventsHandler,
} from './events.js';
import { checkOf } from './events.js';
import { streamsOf } from './streams.js';

/**
 * Answer GET with server-sent events (WHATWG HTML §9.2): `export default sse(({ ctx, send }) =>
 * ctx.news.subscribe(send))`. The stream ends when the handler is done. A handler that returns a
 * function keeps the stream open; the function runs when the stream ends. An error thrown before
 * the first event is answered like an error of any handler; a later one is logged and breaks the
 * stream off.
 */
export function sse<Path extends RoutePath = never>(
  handler: EventsHandler<Path, [Path] extends [never] ? AnyParams : ParamsOf<Path>>,
): Endpoint<'GET', Annotated<Path, unknown>, EventStream>;
export function sse<
  P extends StandardSchema = never,
  Q extends StandardSchema = never,
  H extends StandardSchema = never,
  V extends EventSchemas = never,
>(
  definition: EventsDefinition<P, Q, H, V>,
  handler: CheckedEventsHandler<P, Q, H, V>,
): Endpoint<'GET', Parts<P, Q, H>, EventStream<V>>;
export function sse(first: unknown, second?: unknown): Endpoint<'GET'> {
  if (second === undefined) {
    if (!isHandler(first)) throw new DefinitionError('sse() takes a function that sends events', 'FWK402');
    return get((req, res, ctx) => streamsOf(req).run(first, req, res, ctx)).meta(SSE);
  }
  const definition = definitionOf('sse', first, ['params', 'query', 'headers', 'events']);
  if (!isHandler(second))
    throw new DefinitionError('sse() needs a handler function after its definition.', 'FWK402');
  const { events } = definition;
  return definedEndpoint('GET', definition, (req, res, ctx) =>
    streamsOf(req).run(second, req, res, ctx, events && checkOf(events, req)),
  ).meta(SSE);
}

const SSE: RouteMeta = { sse: true };

const isHandler = (value: unknown): value is EventsHandler => typeof value === 'function';
