import { createHash } from 'node:crypto';
import type { EngineSettings, Traffic } from 'fwkit/peers';
import { isObject, type Json } from 'fwkit/plugin';
import type { Connections } from './connections.js';
import type { Ask } from './stores.js';

/** A message is this mark, a line of JSON, and the body; bytes and NUL in base64, because a notification is text without NUL. */
const MARK = 'fwk1 ';
const NUL = '\0';
/** Longer messages are stored in a row, to which the notification refers. */
const MAX_NOTIFICATION_BYTES = 7_900;

/** The topic of heartbeats, which carry the number of the sender's last message. */
const BEAT = 'peers.beat';

const BYTES = 1;
const TEXT_IN_BASE64 = 2;

/** The sender of a message: the machine, the process, and the number of the message in that process. */
export interface Sender {
  readonly m: string;
  readonly p: string;
  readonly n: number;
}

export interface Sent {
  readonly number: number;
  readonly isBeat: boolean;
  readonly bytes: number;
  readonly notification: string;
  /** The text for a row, if the message is too long for a notification. */
  readonly row: string | undefined;
}

export interface Message {
  /** Undefined for a message from outside of the app. */
  readonly sender: Sender | undefined;
  /** Whether the message is in a row. Then only `sender` is set. */
  readonly isInRow: boolean;
  readonly isBeat: boolean;
  readonly topic: string;
  readonly head: Json;
  /** Decodes the body on demand, because messages of the same machine are dropped before. */
  body(): string | Uint8Array;
}

export function encode(topic: string, head: Json, body: string | Uint8Array, sender: Sender): Sent {
  const [b, text] =
    typeof body !== 'string'
      ? [BYTES, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64')]
      : body.includes(NUL)
        ? [TEXT_IN_BASE64, Buffer.from(body).toString('base64')]
        : [undefined, body];
  const whole = `${MARK}${JSON.stringify({ ...sender, t: topic, h: head, b })}\n${text}`;
  const bytes = Buffer.byteLength(whole);
  const sent = { number: sender.n, isBeat: topic === BEAT, bytes };
  return bytes <= MAX_NOTIFICATION_BYTES
    ? { ...sent, notification: whole, row: undefined }
    : { ...sent, notification: `${MARK}${JSON.stringify({ ...sender, r: 1 })}`, row: whole };
}

/** A heartbeat with the number of the last message, so that receivers detect missed messages. */
export const beat = (sender: Sender): Sent => encode(BEAT, null, '', sender);

/** Decode a message. `foreign`: it has no mark, or that of a later version. `broken`: it has the mark but cannot be parsed. */
export function decode(text: string): Message | 'foreign' | 'broken' {
  if (!text.startsWith(MARK)) return 'foreign';
  const newline = text.indexOf('\n');
  const end = newline === -1 ? text.length : newline;
  let line: unknown;
  try {
    line = JSON.parse(text.slice(MARK.length, end));
  } catch {
    return 'broken';
  }
  if (!isObject(line)) return 'broken';
  const { m, p, n, h = null, b, r }: Partial<Record<string, unknown>> = { ...line };
  const isInRow = r !== undefined;
  const t = isInRow ? '' : line.t;
  const sender = senderOf(m, p, n);
  if (typeof t !== 'string' || sender === 'broken' || (sender === undefined && isInRow)) return 'broken';
  const body = (): string | Uint8Array => bodyOf(text.slice(end + 1), b);
  return { sender, isInRow, isBeat: t === BEAT, topic: t, head: h as Json, body };
}

function bodyOf(text: string, form: unknown): string | Uint8Array {
  if (form === BYTES) return Buffer.from(text, 'base64');
  return form === TEXT_IN_BASE64 ? Buffer.from(text, 'base64').toString() : text;
}

function senderOf(m: unknown, p: unknown, n: unknown): Sender | undefined | 'broken' {
  if (m === undefined && p === undefined && n === undefined) return undefined;
  const isSender =
    typeof m === 'string' &&
    typeof p === 'string' &&
    typeof n === 'number' &&
    Number.isSafeInteger(n) &&
    n >= 0;
  return isSender ? { m, p, n } : 'broken';
}

/** The maximum length of a PostgreSQL identifier. */
const MAX_NAME_BYTES = 63;

export function channelOf(app: string): { readonly name: string; readonly quoted: string } {
  const whole = `fwk:${app}`;
  const name =
    Buffer.byteLength(whole) <= MAX_NAME_BYTES
      ? whole
      : `fwk:${createHash('sha256').update(app).digest('hex').slice(0, 32)}`;
  return { name, quoted: `"${name.replaceAll('"', '""')}"` };
}

const ROW = 'SELECT text FROM fwk.message WHERE sender = $1 AND number = $2';

export type Deliver = (topic: string, head: Json, body: string | Uint8Array) => void;

interface InboxOptions {
  readonly ask: Ask;
  readonly traffic: Traffic;
  readonly settings: () => EngineSettings;
  /** The id of this machine, whose own messages are dropped. */
  readonly machine: string;
}

/** Receives the messages of other machines. While a row is being read, later messages wait, so that the order is kept. */
export class Inbox {
  readonly #queue: { readonly message: Message; readonly bytes: number }[] = [];
  #bytes = 0;
  #isReading = false;
  deliver: Deliver = () => {};

  constructor(private readonly options: InboxOptions) {}

  receive(notification: string): void {
    const { machine, traffic, settings } = this.options;
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
      else this.options.traffic.missed += 1;
    }
    this.#isReading = false;
  }

  async #read(sender: Sender | undefined): Promise<Message | undefined> {
    try {
      const values = [sender?.p, sender?.n];
      const [row] = (await this.options.ask({ name: 'fwk.message', text: ROW, values })).rows;
      const message = decode(String(row?.text));
      return typeof message === 'string' ? undefined : message;
    } catch {
      return undefined;
    }
  }

  #take({ topic, head, body }: Message): void {
    this.options.traffic.received += 1;
    this.deliver(topic, head, body());
  }
}

/** The maximum size of the messages in one statement, in bytes. */
const MAX_BATCH_BYTES = 256 * 1024;

/** One statement for all waiting messages, because NOTIFY takes a lock at commit. Their numbers make them unique in the transaction. */
const NOTIFY = 'SELECT count(pg_notify($1, one)) FROM unnest($2::text[]) AS one';
const KEEP_AND_NOTIFY = `WITH kept AS (INSERT INTO fwk.message (sender, number, text)
    SELECT $3, number, text FROM unnest($4::bigint[], $5::text[]) AS rows (number, text))
  ${NOTIFY}`;

interface OutboxOptions {
  readonly connections: Connections;
  readonly traffic: Traffic;
  readonly settings: () => EngineSettings;
  readonly channel: string;
  readonly sender: string;
}

export class Outbox {
  #queue: Sent[] = [];
  /** The size of all messages without an answer. */
  #bytes = 0;
  #sending: Promise<void> | undefined;

  constructor(private readonly options: OutboxOptions) {}

  /** Never waits, never throws. */
  push(message: Sent): void {
    const { connections, traffic, settings } = this.options;
    const { backlog, maxMessage } = settings();
    if (message.bytes > maxMessage) {
      traffic.oversized += 1;
      return;
    }
    const isFull = this.#bytes > 0 && this.#bytes + message.bytes > backlog;
    if (isFull || !connections.isThere) {
      if (!message.isBeat) traffic.unsent += 1;
      return;
    }
    this.#queue.push(message);
    this.#bytes += message.bytes;
    this.#sending ??= this.#sendAll();
  }

  async sent(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // Messages that are sent in the same tick go into one batch.
    await undefined;
    const { traffic } = this.options;
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      const count = batch.filter(({ isBeat }) => !isBeat).length;
      const isSent = await this.#send(batch);
      if (isSent) traffic.sent += count;
      else traffic.unsent += count;
      for (const { bytes } of batch) this.#bytes -= bytes;
    }
    this.#sending = undefined;
  }

  #nextBatch(): Sent[] {
    let bytes = 0;
    const end = this.#queue.findIndex((message) => {
      bytes += message.bytes;
      return bytes > MAX_BATCH_BYTES;
    });
    // A message longer than the limit is sent alone.
    return this.#queue.splice(0, end === -1 ? this.#queue.length : Math.max(1, end));
  }

  async #send(batch: readonly Sent[]): Promise<boolean> {
    const { connections, channel, sender } = this.options;
    const values: unknown[] = [channel, batch.map(({ notification }) => notification)];
    const long = batch.filter(({ row }) => row !== undefined);
    const rows = [sender, long.map(({ number }) => number), long.map(({ row }) => row)];
    const query =
      long.length === 0
        ? { name: 'fwk.notify', text: NOTIFY, values }
        : { name: 'fwk.notify.long', text: KEEP_AND_NOTIFY, values: [...values, ...rows] };
    return connections.run(query).then(
      () => true,
      () => false,
    );
  }
}
