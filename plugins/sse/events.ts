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

/** The fields of an event besides its data. */
export interface EventFields {
  /** When the client reconnects, it sends the last ID that it received as `Last-Event-ID`. */
  readonly id?: string;
  /** How long the client waits before it reconnects, in milliseconds. */
  readonly retry?: number;
}

/** Schemas of the data of events, by name. Events without a name use `message`. */
export interface EventSchemas {
  readonly [event: string]: StandardSchema;
}

/** The definition of an event stream, except for its handler. */
export interface EventsDefinition<P = unknown, Q = unknown, H = unknown, V = unknown>
  extends InputDefinition<P, Q, H> {
  /** The data of each event, by name: `{ message: Price, closed: Reason }`. The default is `message`. */
  readonly events?: V;
}

/** The events of an endpoint, for the typed client. Exists only as a type. */
export interface EventStream<V = never> {
  /** The schemas of their data, by name; never if they are not declared. */
  readonly '~events'?: V;
}

type EventName<V> = [V] extends [never] ? string : keyof V & string;
type EventData<V, Name> = [V] extends [never] ? unknown : Name extends keyof V ? In<V[Name]> : never;

/** A stream of events to one client, as seen by the handler of `sse`. */
export interface Events<
  Path extends RoutePath = never,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
  V = never,
> {
  readonly req: HttpRequest<Path, unknown, Params, Query, RequestHeaders>;
  /** For setting headers and cookies before the first event. */
  readonly res: HttpResponse;
  readonly ctx: RuntimeCtx;
  /** Decoded values of the bracketed segments; strings unless a schema converts them. */
  readonly params: Params;
  /** The ID of the last event before the client reconnected; undefined on its first connection. */
  readonly lastEventId: string | undefined;
  /** Aborts when the stream ends: the client disconnects, the code changes, or the server shuts down. */
  readonly signal: AbortSignal;
  /**
   * Send an event without a name, which `EventSource.onmessage` receives: text is sent unchanged,
   * anything else as JSON. Resolves when the client can take more. After the stream has ended,
   * nothing is sent, and the promise rejects while the handler runs, so that its loop ends. fwk
   * ignores that error, whether you await the promise or not. Throws TypeError for a value that JSON cannot represent. If the stream
   * declares `events`, all data is sent as JSON; data that doesn't match its schema ends the
   * stream, and the promise rejects with TypeError.
   */
  send(data: EventData<V, 'message'>, fields?: EventFields): Promise<void>;
  /** Send an event with a name, for `addEventListener(event, …)`. */
  emit<Name extends EventName<V>>(event: Name, data: EventData<V, Name>, fields?: EventFields): Promise<void>;
  /** Send a line that clients ignore. */
  comment(text: string): Promise<void>;
  /** End the stream. A browser reconnects. */
  close(): void;
}

/**
 * Sends the events of one stream. The stream ends when the handler is done. If the handler returns
 * a function, the stream ends when the client disconnects, and then the function runs. An async
 * generator sends each value that it yields.
 */
export type EventsHandler<Path extends RoutePath = never, Params = ParamsOf<Path>> = (
  events: Events<Path, Params>,
) => unknown;

/** Sends the events of one stream of a route with schemas. */
export type CheckedEventsHandler<P, Q, H, V> = (
  events: Events<never, Out<P, AnyParams>, Out<Q, AnyQuery>, Out<H, IncomingHttpHeaders>, V>,
) => unknown;

/** Returns the checked data of an event, or a promise. Throws TypeError or rejects if it is invalid. */
export type EventCheck = (event: string, data: unknown) => unknown;

export function checkOf(events: EventSchemas, { route, path }: HttpRequest): EventCheck {
  if (route.meta.checkResponse === false) return (_event, data) => data;
  const label = route.label ?? path;
  return (event, data) => {
    const schema = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!schema)
      throw coded(
        'FWK414',
        `${label}: "events" does not declare ${JSON.stringify(event)}. It declares ${Object.keys(events).join(', ')}.`,
      );
    return checkedOutput(
      schema,
      data,
      `${label}: the data of "${event}" does not match its schema in "events"`,
    );
  };
}
