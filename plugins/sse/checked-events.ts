import { CheckedSending } from '../http/index.js';
import { type EventFields, jsonEventText } from './event.js';
import type { EventCheck } from './event-check.js';

/** What a stream whose events are checked does with their text, its end, and what does not fit. */
interface Outlet {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  end(): void;
  fail(failure: unknown): void;
}

/** Sends the events of one stream when they have been checked. */
export class CheckedEvents {
  readonly #check: EventCheck;
  readonly #outlet: Outlet;
  readonly #sending: CheckedSending;

  constructor(check: EventCheck, outlet: Outlet) {
    this.#check = check;
    this.#outlet = outlet;
    this.#sending = new CheckedSending((failure) => outlet.fail(failure));
  }

  /** Rejects with TypeError for data that does not fit, which ends the stream. */
  emit(event: string | undefined, data: unknown, fields: EventFields): Promise<void> {
    const sent = this.#sending.put(
      () => this.#check(event ?? 'message', data),
      (value) => this.#outlet.write(jsonEventText(event, value, fields)),
    );
    return sent ?? Promise.resolve();
  }

  /** End the stream after the events that are still being checked. */
  close(): void {
    this.#sending.put(
      () => undefined,
      () => void this.#outlet.end(),
    );
  }

  /** Resolves when no event is being checked. */
  settled(): Promise<void> {
    return this.#sending.settled();
  }
}
