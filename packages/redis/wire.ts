import type { PeersEngine, Traffic } from 'fwkit/peers';
import { isObject, type Json } from 'fwkit/plugin';
import type { Broker } from './broker.js';

export interface Names {
  readonly channel: string;
  memory(name: string, key: string): string;
  lock(name: string): string;
  readonly token: string;
  log(name: string): string;
}

/** Escapes the colon, which separates the parts of a key. */
const part = (text: string): string => text.replaceAll('%', '%25').replaceAll(':', '%3A');

export function namesOf(app: string): Names {
  const together = `fwk:{${app}}`;
  return {
    channel: channelOf(app),
    memory: (name, key) => `fwk:${app}:memory:${part(name)}:${key}`,
    lock: (name) => `${together}:lock:${name}`,
    token: `${together}:token`,
    log: (name) => `fwk:${app}:log:${name}`,
  };
}

export const channelOf = (app: string): string => `fwk:{${app}}:peers`;

/** The prefix of each message: the format and its version. Messages with another prefix have another sender or a later version. */
const MARK = 'fwk1 ';
const NEWLINE = 10;
/** The maximum length of a process id, because the ids of many senders are kept in memory. */
const MAX_PROCESS = 1_000;

/** The sender of a message: the machine, the process, and the number of the message in that process. */
export interface Sender {
  readonly m: string;
  readonly p: string;
  readonly n: number;
}

export interface Message {
  /** Undefined for a message from outside of the app. */
  readonly sender: Sender | undefined;
  readonly topic: string;
  readonly head: Json;
  /** Decodes the body on demand, because most messages have no receiver in a process. */
  body(): string | Uint8Array;
}

/** Encode a message: the mark, a line of JSON, the unchanged body. */
export function encode(
  topic: string,
  head: Json,
  body: string | Uint8Array,
  sender?: Sender,
): string | Buffer {
  const isText = typeof body === 'string';
  const line = `${MARK}${JSON.stringify({ ...sender, t: topic, h: head, b: isText ? undefined : 1 })}\n`;
  return isText ? line + body : Buffer.concat([Buffer.from(line), body]);
}

/** Decode a message. `foreign`: it has no mark. `broken`: it has the mark but cannot be parsed. */
export function decode(bytes: Buffer): Message | 'foreign' | 'broken' {
  if (bytes.length < MARK.length || bytes.toString('latin1', 0, MARK.length) !== MARK) return 'foreign';
  const newline = bytes.indexOf(NEWLINE);
  const end = newline === -1 ? bytes.length : newline;
  let line: unknown;
  try {
    line = JSON.parse(bytes.toString('utf8', MARK.length, end));
  } catch {
    return 'broken';
  }
  if (!isObject(line)) return 'broken';
  const { m, p, n, t, h = null, b } = line;
  const sender = senderOf(m, p, n);
  if (typeof t !== 'string' || sender === 'broken') return 'broken';
  const from = Math.min(end + 1, bytes.length);
  return {
    sender,
    topic: t,
    head: h as Json,
    body: () => (b ? bytes.subarray(from) : bytes.toString('utf8', from, bytes.length)),
  };
}

function senderOf(m: unknown, p: unknown, n: unknown): Sender | undefined | 'broken' {
  if (m === undefined && p === undefined && n === undefined) return undefined;
  const isSender =
    typeof m === 'string' &&
    typeof p === 'string' &&
    p.length <= MAX_PROCESS &&
    typeof n === 'number' &&
    Number.isSafeInteger(n) &&
    n >= 0;
  return isSender ? { m, p, n } : 'broken';
}

type Deliver = Parameters<PeersEngine['listen']>[0];

/** The topic of heartbeats, which carry the number of the sender's last message. */
const BEAT = 'peers.beat';

interface MessagesOptions {
  readonly broker: Pick<Broker, 'publish'>;
  readonly traffic: Traffic;
  readonly process: string;
  readonly machine: string;
  readonly maxMessage: () => number;
}

/** Messages to and from other machines. Duplicates are dropped: a client resends unanswered messages after a connection failure. */
export class Messages {
  #deliver: Deliver = () => {};

  constructor(private readonly options: MessagesOptions) {}

  listen(deliver: Deliver): void {
    this.#deliver = deliver;
  }

  send(topic: string, head: Json, body: string | Uint8Array): void {
    const { broker, traffic, maxMessage } = this.options;
    traffic.next();
    const message = this.#encode(topic, head, body);
    const bytes = typeof message === 'string' ? Buffer.byteLength(message) : message.length;
    if (bytes > maxMessage()) traffic.oversized += 1;
    else if (broker.publish(message, bytes)) traffic.sent += 1;
    else traffic.unsent += 1;
  }

  beat(): void {
    const message = this.#encode(BEAT, null, '');
    this.options.broker.publish(message, message.length);
  }

  #encode(topic: string, head: Json, body: string | Uint8Array): string | Buffer {
    const { machine, process, traffic } = this.options;
    return encode(topic, head, body, { m: machine, p: process, n: traffic.number });
  }

  receive(bytes: Buffer): void {
    const { traffic, machine, maxMessage } = this.options;
    const message = bytes.length > maxMessage() ? 'broken' : decode(bytes);
    if (message === 'foreign') return;
    if (message === 'broken') traffic.broken += 1;
    // Processes of this machine have received it directly.
    else if (message.sender?.m !== machine && this.#isNew(message)) {
      traffic.received += 1;
      this.#deliver(message.topic, message.head, message.body());
    }
  }

  #isNew({ sender, topic }: Message): boolean {
    const { traffic } = this.options;
    if (topic !== BEAT) return !sender || traffic.isNew(sender.p, sender.n);
    if (sender) traffic.hear(sender.p, sender.n);
    return false;
  }
}
