import { CheckedSending, checkedOutput, type StandardSchema } from '../http/index.js';
import { jsonDataOf } from './message.js';
import type { Sendable } from './socket.js';
import type { Entry } from './upgrades.js';

/** What a handler sends and publishes, on its way out. */
export interface Messages {
  /** Call `pass` with what is to be sent for `data`. */
  put(data: Sendable, pass: (data: Sendable) => Promise<void> | undefined): Promise<void> | undefined;
  /** Call `then` when everything before has been passed on. */
  after(then: () => void): void;
  /** Resolves when there is room for what the next message of the client leads to; undefined where there is. */
  room(): Promise<void> | undefined;
  /** Resolves when nothing waits; undefined where nothing ever does. */
  settled(): Promise<void> | undefined;
}

/** Without a schema, messages are sent as they are. */
const UNCHECKED: Messages = {
  put: (data, pass) => pass(data),
  after: (then) => then(),
  room: () => undefined,
  settled: () => undefined,
};

/** The way out for the messages of `entry`. `onFailure` is called where one is refused. */
export function messagesOf(entry: Entry, onFailure: (failure: unknown) => void): Messages {
  const schema = entry.definition?.send;
  return schema ? new CheckedMessages(schema, entry, onFailure) : UNCHECKED;
}

/** Checks messages by the schema for `send`, and keeps their order. */
class CheckedMessages implements Messages {
  readonly #sending: CheckedSending;
  readonly #check: (data: unknown) => unknown;

  constructor(
    schema: StandardSchema,
    { req: { route, path } }: Entry,
    onFailure: (failure: unknown) => void,
  ) {
    this.#sending = new CheckedSending(onFailure);
    const refusal = `${route.label ?? path}: "send" refuses what the handler sends`;
    this.#check =
      route.meta.checkResponse === false ? (data) => data : (data) => checkedOutput(schema, data, refusal);
  }

  /** All but bytes is sent as JSON text. */
  put(data: Sendable, pass: (data: Sendable) => Promise<void> | undefined): Promise<void> | undefined {
    return this.#sending.put(
      () => this.#check(data),
      (value) => pass(jsonDataOf(value)),
    );
  }

  after(then: () => void): void {
    this.#sending.put(
      () => undefined,
      () => void then(),
    );
  }

  room(): Promise<void> | undefined {
    return this.#sending.room();
  }

  settled(): Promise<void> {
    return this.#sending.settled();
  }
}
