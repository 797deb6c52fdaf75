import { createHash } from 'node:crypto';
import { isObject, type Json } from 'fwkit/plugin';

/**
 * A notification takes fewer than 8,000 bytes, of text without NUL. What a message is: the mark, a line of JSON, the body. A body of bytes
 * is in base64, and so is text with a NUL.
 */
const MARK = 'fwk1 ';
const NUL = '\0';
/** Longer ones are in a row, and the notification says so. */
const MAX_NOTIFICATION_BYTES = 7_900;

/** The topic of what a process says from time to time, for the number in it. */
const BEAT = 'peers.beat';

const BYTES = 1;
const TEXT_IN_BASE64 = 2;

/** Who has sent a message: a machine, one of its processes, and which of the messages of that process it is. */
export interface Sender {
  readonly m: string;
  readonly p: string;
  readonly n: number;
}

/** What is sent. */
export interface Sent {
  readonly number: number;
  readonly isBeat: boolean;
  readonly bytes: number;
  readonly notification: string;
  /** What is in the row, where the notification cannot hold it. */
  readonly row: string | undefined;
}

/** What came in a notification, or is in a row. */
export interface Message {
  /** Undefined for what comes from outside of the app. */
  readonly sender: Sender | undefined;
  /** Whether it is in a row. Then nothing of it is here but its sender. */
  readonly isInRow: boolean;
  readonly isBeat: boolean;
  readonly topic: string;
  readonly head: Json;
  /** Decoded when it is called: what the own machine has sent is dropped before. */
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

/** Says the number of the last message, so that others know what they have missed. */
export const beat = (sender: Sender): Sent => encode(BEAT, null, '', sender);

/** Read a message. `foreign`: it is of somebody else, or of a later version. `broken`: it says that it is one, and cannot be read. */
export function decode(text: string): Message | 'foreign' | 'broken' {
  if (!text.startsWith(MARK)) return 'foreign';
  const newline = text.indexOf('\n');
  const end = newline === -1 ? text.length : newline;
  const line = parsed(text.slice(MARK.length, end));
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A name of PostgreSQL has at most 63 bytes. */
const MAX_NAME_BYTES = 63;

/** The channel of an app: its name, and as a statement has it. */
interface Channel {
  readonly name: string;
  readonly quoted: string;
}

export function channelOf(app: string): Channel {
  const whole = `fwk:${app}`;
  const name =
    Buffer.byteLength(whole) <= MAX_NAME_BYTES
      ? whole
      : `fwk:${createHash('sha256').update(app).digest('hex').slice(0, 32)}`;
  return { name, quoted: `"${name.replaceAll('"', '""')}"` };
}
