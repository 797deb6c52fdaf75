import { Deferred, isThenable } from '../../kernel/index.js';
import type { Message } from './socket.js';

/** The most messages that may wait, however short, before reading stops. */
const MAX_UNREAD_MESSAGES = 128;

/** Handles one message; the next one waits for a promise that it returns. Never throws and never rejects. */
export type Receive = (message: Message) => unknown;

/**
 * The messages of one connection, passed to its receiver one after the other. Without a receiver they wait, in order.
 */
export class Inbox {
  readonly #waiting: { readonly message: Message; readonly size: number }[] = [];
  /** In bytes. */
  #size = 0;
  readonly #limit: number;
  /** Stops and resumes reading from the connection. */
  readonly #read: (on: boolean) => void;
  #reading = true;
  #receive: Receive | undefined;
  /** Resolves when the running message is done. */
  #running: Promise<void> | undefined;
  /** While set, messages wait though there is a receiver; resolved by `release`. */
  #held: Deferred | undefined;

  /** Reading stops while more than `limit` bytes wait. One more message may be on its way then. */
  constructor(limit: number, read: (on: boolean) => void) {
    this.#limit = limit;
    this.#read = read;
  }

  /** `size` is that of the message on the wire, in bytes. */
  put(message: Message, size: number): void {
    if (this.#receive && !this.#held && !this.#running && this.#waiting.length === 0)
      return this.#hand(message);
    this.#waiting.push({ message, size });
    this.#size += size;
    if (this.#reading && (this.#size > this.#limit || this.#waiting.length > MAX_UNREAD_MESSAGES))
      this.#switch(false);
  }

  /** Pass waiting and future messages to `receive`. */
  open(receive: Receive): void {
    this.#receive = receive;
    this.#next();
  }

  /** Have messages wait from now on. Resolves when the running one is done. */
  async close(): Promise<void> {
    this.#receive = undefined;
    await this.#running;
  }

  /** Have messages wait until `release`, whichever receiver there is then. */
  hold(): this {
    this.#held ??= new Deferred();
    return this;
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
    this.#next();
  }

  /** Resolves when no message waits, or there is no receiver for those that do. */
  async emptied(): Promise<void> {
    while (this.#running || (this.#held && this.#receive && this.#waiting.length > 0))
      await (this.#running ?? this.#held?.promise);
  }

  #hand(message: Message): void {
    const result = this.#receive?.(message);
    if (!isThenable(result)) return;
    this.#running = Promise.resolve(result).then(() => {
      this.#running = undefined;
      this.#next();
    });
  }

  #next(): void {
    while (this.#receive && !this.#held && !this.#running) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#size -= next.size;
      this.#hand(next.message);
    }
    if (!this.#reading && this.#waiting.length === 0) this.#switch(true);
  }

  #switch(on: boolean): void {
    this.#reading = on;
    this.#read(on);
  }
}
