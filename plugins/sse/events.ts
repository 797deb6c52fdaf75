import type { IncomingHttpHeaders } from 'node:http';
import { coded } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, HttpResponse, In, Out, RoutePath, StandardSchema } from '../http/index.js';
import {
  type AnyParams,
  type AnyQuery,
  checkedOutput,
  type InputDefinition,
  type ParamsOf,
} from '../http/internal.js';

/** The fields of an event beside its data. */
export interface EventFields {
  /** The client sends the last one it got as `Last-Event-ID` when it connects again. */
  readonly id?: string;
  /** Milliseconds that the client waits before it connects again. */
  readonly retry?: number;
}

/** Schemas of the data of events, by name; the one of events without a name is `message`. */
export interface EventSchemas {
  readonly [event: string]: StandardSchema;
}

/** What a stream of events says of itself beside its handler. */
export interface EventsDefinition<P = unknown, Q = unknown, H = unknown, V = unknown>
  extends InputDefinition<P, Q, H> {
  /** The data of each event, by name: `{ message: Price, closed: Reason }`. Events without a name are `message`. */
  readonly events?: V;
}

/** The events of an endpoint: what the typed client reads. Types only. */
export interface EventStream<V = never> {
  /** The schemas of their data, by name; never where they are not declared. */
  readonly '~events'?: V;
}

type EventName<V> = [V] extends [never] ? string : keyof V & string;
type EventData<V, Name> = [V] extends [never] ? unknown : Name extends keyof V ? In<V[Name]> : never;

/** A stream of events to one client, as the handler of `sse` sees it. */
export interface Events<
  Path extends RoutePath = never,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
  V = never,
> {
  readonly req: HttpRequest<Path, unknown, Params, Query, RequestHeaders>;
  /** For headers and cookies, before the first event. */
  readonly res: HttpResponse;
  readonly ctx: RuntimeCtx;
  /** Values of the bracketed segments, decoded; strings unless a schema makes them something else. */
  readonly params: Params;
  /** The id of the last event that the client got before it connected again; undefined at first. */
  readonly lastEventId: string | undefined;
  /** Aborts when the stream ends: the client has disconnected, the code has changed, the server shuts down. */
  readonly signal: AbortSignal;
  /**
   * Send an event without a name, which `EventSource.onmessage` gets: text as it is, anything else as JSON. Resolves
   * when the client can take more. After the end nothing is sent. Throws TypeError for what JSON cannot represent.
   * Of a stream that declares `events`, all data is JSON; what its schema refuses ends the stream, and rejects with TypeError.
   */
  send(data: EventData<V, 'message'>, fields?: EventFields): Promise<void>;
  /** Send an event with a name, for `addEventListener(event, …)`. */
  emit<Name extends EventName<V>>(event: Name, data: EventData<V, Name>, fields?: EventFields): Promise<void>;
  /** Send a line that clients ignore. */
  comment(text: string): Promise<void>;
  /** End the stream. A browser connects again. */
  close(): void;
}

/** Feeds one stream. The stream ends when it is done; if it returns a function, it ends with the client and runs that. */
export type EventsHandler<Path extends RoutePath = never, Params = ParamsOf<Path>> = (
  events: Events<Path, Params>,
) => unknown;

/** Feeds one stream of a route with schemas. */
export type CheckedEventsHandler<P, Q, H, V> = (
  events: Events<never, Out<P, AnyParams>, Out<Q, AnyQuery>, Out<H, IncomingHttpHeaders>, V>,
) => unknown;

/** Returns the checked data of an event, or a promise of it. Throws TypeError, or rejects, for data that the schema refuses. */
export type EventCheck = (event: string, data: unknown) => unknown;

export function checkOf(events: EventSchemas, { route, path }: HttpRequest): EventCheck {
  if (route.meta.checkResponse === false) return (_event, data) => data;
  const label = route.label ?? path;
  return (event, data) => {
    const schema = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!schema)
      throw coded(
        'FWK414',
        `${label}: "events" does not declare ${JSON.stringify(event)}. It has ${Object.keys(events).join(', ')}.`,
      );
    return checkedOutput(schema, data, `${label}: "events" refuses the data of "${event}"`);
  };
}
