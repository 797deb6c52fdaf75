import type { Traffic } from 'fwkit/peers';
import type { Json, PeersEngine } from 'fwkit/plugin';
import type { Broker } from './broker.js';
import { decode, encode, type Message } from './wire.js';

type Deliver = Parameters<PeersEngine['listen']>[0];

/** A message for the package alone: its number is that of the last one before it. */
const BEAT = 'peers.beat';

export interface MessagesOptions {
  readonly broker: Pick<Broker, 'publish'>;
  readonly traffic: Traffic;
  /** Of this process, and its machine. */
  readonly process: string;
  readonly machine: string;
  readonly maxMessage: () => number;
}

/**
 * Messages to and from other machines. What comes twice is dropped, since clients send again what was not answered when a connection
 * broke.
 */
export class Messages {
  readonly #options: MessagesOptions;
  #deliver: Deliver = () => {};

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  listen(deliver: Deliver): void {
    this.#deliver = deliver;
  }

  send(topic: string, head: Json, body: string | Uint8Array): void {
    const { broker, traffic, maxMessage } = this.#options;
    traffic.next();
    const message = this.#encode(topic, head, body);
    const bytes = typeof message === 'string' ? Buffer.byteLength(message) : message.length;
    if (bytes > maxMessage()) traffic.oversized += 1;
    else if (broker.publish(message, bytes)) traffic.sent += 1;
    else traffic.unsent += 1;
  }

  /** Tell the others how many messages there were. */
  beat(): void {
    const message = this.#encode(BEAT, null, '');
    this.#options.broker.publish(message, message.length);
  }

  #encode(topic: string, head: Json, body: string | Uint8Array): string | Buffer {
    const { machine, process, traffic } = this.#options;
    return encode(topic, head, body, { m: machine, p: process, n: traffic.number });
  }

  receive(bytes: Buffer): void {
    const { traffic, machine, maxMessage } = this.#options;
    const message = bytes.length > maxMessage() ? 'broken' : decode(bytes);
    if (message === 'foreign') return;
    if (message === 'broken') traffic.broken += 1;
    // Processes of this machine have it from each other.
    else if (message.sender?.m !== machine && this.#isNew(message)) {
      traffic.received += 1;
      this.#deliver(message.topic, message.head, message.body());
    }
  }

  /** Whether it is to be delivered, by its number. */
  #isNew({ sender, topic }: Message): boolean {
    const { traffic } = this.#options;
    if (topic !== BEAT) return !sender || traffic.isNew(sender.p, sender.n);
    if (sender) traffic.hear(sender.p, sender.n);
    return false;
  }
}
