import type { EngineSettings, Traffic } from 'fwkit/peers';
import type { Json } from 'fwkit/plugin';
import type { Ask } from './stores.js';
import { decode, type Message, type Sender } from './wire.js';

const ROW = 'SELECT text FROM fwk.message WHERE sender = $1 AND number = $2';

export type Deliver = (topic: string, head: Json, body: string | Uint8Array) => void;

export interface InboxOptions {
  readonly ask: Ask;
  readonly traffic: Traffic;
  readonly settings: () => EngineSettings;
  /** The id of this machine: what it has sent itself is dropped. */
  readonly machine: string;
}

interface Waiting {
  readonly message: Message;
  readonly bytes: number;
}

/** The messages of other machines. Those that follow one that is in a row wait until that is read. */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #queue: Waiting[] = [];
  #bytes = 0;
  #isReading = false;
  deliver: Deliver = () => {};

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  receive(notification: string): void {
    const { machine, traffic, settings } = this.#options;
    const message = decode(notification);
    if (message === 'foreign') return;
    if (message === 'broken') {
      traffic.broken += 1;
      return;
    }
    const { sender } = message;
    if (sender?.m === machine) return;
    if (sender && message.isBeat) return traffic.hear(sender.p, sender.n);
    if (sender && !traffic.isNew(sender.p, sender.n)) return;
    if (!message.isInRow && !this.#isReading) return this.#take(message);
    const bytes = notification.length;
    if (this.#bytes + bytes > settings().backlog) {
      traffic.missed += 1;
      return;
    }
    this.#queue.push({ message, bytes });
    this.#bytes += bytes;
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { message, bytes } = next;
      const whole = message.isInRow ? await this.#read(message.sender) : message;
      this.#bytes -= bytes;
      if (whole) this.#take(whole);
      else this.#options.traffic.missed += 1;
    }
    this.#isReading = false;
  }

  /** The message that is in a row; undefined where it cannot be had. */
  async #read(sender: Sender | undefined): Promise<Message | undefined> {
    try {
      const values = [sender?.p, sender?.n];
      const [row] = (await this.#options.ask({ name: 'fwk.message', text: ROW, values })).rows;
      const message = decode(String(row?.text));
      return typeof message === 'string' ? undefined : message;
    } catch {
      return undefined;
    }
  }

  #take({ topic, head, body }: Message): void {
    this.#options.traffic.received += 1;
    this.deliver(topic, head, body());
  }
}
