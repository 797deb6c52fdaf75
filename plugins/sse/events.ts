import type { RuntimeCtx } from '../../kernel/index.js';
import type { HttpRequest, HttpResponse, ParamsOf, RoutePath } from '../http/index.js';
import type { EventFields } from './event.js';

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
  /** Aborts when the stream ends: the client has disconnected, the code has changed, the server shuts down. */
  readonly signal: AbortSignal;
  /**
   * Send an event without a name, which `EventSource.onmessage` gets: text as it is, anything else as JSON. Resolves
   * when the client can take more. After the end nothing is sent. Throws TypeError for what JSON cannot represent.
   */
  send(data: unknown, fields?: EventFields): Promise<void>;
  /** Send an event with a name, for `addEventListener(event, …)`. */
  emit(event: string, data: unknown, fields?: EventFields): Promise<void>;
  /** Send a line that clients ignore. */
  comment(text: string): Promise<void>;
  /** End the stream. A browser connects again. */
  close(): void;
}

/**
 * Feeds one stream. The stream ends when it is done; if it returns a function, it ends with the client and runs that.
 */
export type EventsHandler<Path extends RoutePath = never> = (events: Events<Path>) => unknown;
