import { eventsOf } from '../../client/internal.js';
import { testError } from '../test-error.js';
import { Queue, refusalOf } from './queue.js';

/** A stream of server-sent events. Iterating yields its events, including buffered ones; the loop ends when the stream does. */
export interface TestEvents<Event> extends AsyncIterable<Event> {
  /** Its status and headers. The body is already being read. */
  readonly response: Response;
  /** The next event. Rejects if none arrives within 4 s, or the stream has ended. */
  next(): Promise<Event>;
  /** Disconnect, like a client that leaves: `req.signal` aborts, and loops over the events end. */
  close(): void;
}

/** Options for opening an event stream. */
export interface TestEventsOptions {
  /** Request headers, in addition to the visitor's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `Last-Event-ID`: the last event that the client has received before it reconnects. */
  readonly lastEventId?: string;
  /** Ends the stream: pending calls reject with an AbortError. */
  readonly signal?: AbortSignal;
}

/** The events of the response to a request such as `GET /news`. Rejects with a TestRefusal if it is no event stream. `stop` ends it. */
export async function testEvents(
  response: Response,
  call: string,
  stop: AbortController,
): Promise<TestEvents<unknown>> {
  const type = response.headers.get('content-type') ?? 'no type';
  if (!response.ok || !type.startsWith('text/event-stream'))
    throw await refusalOf(response, call, `text/event-stream (${type})`);
  const events = new Queue<unknown>();
  let isLeft = false;
  const read = async (): Promise<void> => {
    try {
      for await (const event of eventsOf(response)) events.push(event);
      events.end();
    } catch (failure) {
      events.end(isLeft ? undefined : { failure: stop.signal.aborted ? stop.signal.reason : failure });
    }
  };
  void read();
  const close = (): void => {
    isLeft = true;
    stop.abort();
  };
  return {
    response,
    async next() {
      const result = await events.next(`${call} sent no event`);
      if (!result.done) return result.value;
      throw testError('FWK904', `${call} sent no further event: the stream has ended`);
    },
    close,
    async *[Symbol.asyncIterator]() {
      try {
        yield* events;
      } finally {
        close();
      }
    },
  };
}
